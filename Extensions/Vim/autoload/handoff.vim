" Offers the file in the focused window, by `handoffctl publish --follow`. plugin/handoff.vim says how to switch it on.

let s:cpo_save = &cpoptions
set cpoptions&vim

" How long, in milliseconds, a change of the buffer waits for the next one; and how long a file stays offered while a
" window without a file has the focus, such as help or a list of errors: a look at it should not end the activity.
let s:pause = 100
let s:linger = 1000

let s:is_on = 0
" The job of `handoffctl publish --follow`, 0 when it does not run; and how many jobs began or were ended.
let s:job = 0
let s:run = 0
" The end of its output that is no whole line yet, of Neovim; and the last line of its errors.
let s:partial = ''
let s:last_error = ''
" The file that is offered, as handoffctl was told; {} for none.
let s:offered = {}
" The file of the last answer to willSave: the one that another device goes on with; {} for none.
let s:asked = {}
" The position when the window of that file lost the focus to one without a file.
let s:left = {}
" What handoffctl has told: the object of the activity, why it is not offered, and who continues it.
let s:object = ''
let s:obstacle = ''
let s:continued = ''
let s:timer = -1
" The job of `handoffctl status`, and its output so far.
let s:question = 0
let s:answer = ''

" MARK: What is offered

function! s:Offer(file) abort
  let s:offered = a:file
  let s:left = {}
  call s:Write(handoff#file#Line(a:file, 1))
endfunction

function! s:End() abort
  if !empty(s:offered)
    let [s:offered, s:asked, s:object] = [{}, {}, '']
    call s:Write('null')
  endif
endfunction

" Offers the file of the focused window if that is another one, or was saved; ends the activity where there is none.
function! s:Update(is_late, ...) abort
  let s:timer = -1
  let l:file = s:is_on ? handoff#file#Focused() : {}
  if empty(l:file)
    if !a:is_late && !empty(s:offered)
      call s:UpdateAfter(s:linger, 1)
    else
      call s:End()
    endif
  elseif empty(s:offered) || [l:file.url, l:file.time] != [s:offered.url, s:offered.time]
    call s:Start()
    if s:IsRunning()
      call s:Offer(l:file)
    endif
  endif
endfunction

function! s:UpdateAfter(milliseconds, is_late) abort
  if s:timer != -1
    call timer_stop(s:timer)
  endif
  let s:timer = timer_start(a:milliseconds, function('s:Update', [a:is_late]))
endfunction

function! s:Entered() abort
  if s:is_on
    call s:UpdateAfter(s:pause, 0)
  endif
endfunction

function! s:Left() abort
  if !empty(s:offered)
    let l:file = handoff#file#Focused()
    if get(l:file, 'url', '') ==# s:offered.url
      let s:left = l:file
    endif
  endif
endfunction

" The answer to willSave, twice: the second line says that the next device has to ask again.
function! s:Save() abort
  let l:file = handoff#file#Focused()
  if empty(l:file)
    let l:file = empty(s:left) ? s:offered : s:left
  endif
  if empty(l:file)
    call s:Write('{}')
    return
  endif
  let [s:offered, s:asked] = [l:file, l:file]
  call s:Write(handoff#file#Line(l:file, 0))
  call s:Write(handoff#file#Line(l:file, 1))
endfunction

" Gives the unsaved text to a device that has asked for it: of the file with which that device goes on, though another
" one may be offered by now.
function! s:Send(event) abort
  try
    call handoff#file#WriteText(s:asked, a:event.path)
  catch
    " handoffctl breaks the stream then, when it has waited.
    return
  endtry
  call s:Write(json_encode({'stream': a:event.stream}))
endfunction

" MARK: handoffctl

function! s:Command(arguments) abort
  let l:command = get(g:, 'handoff_command', ['handoffctl'])
  return (type(l:command) == type([]) ? l:command : [l:command]) + a:arguments
endfunction

function! s:IsRunning() abort
  return type(s:job) != type(0) || s:job > 0
endfunction

function! s:Start() abort
  if s:IsRunning()
    return
  endif
  let [s:partial, s:last_error, s:run] = ['', '', s:run + 1]
  let l:command = s:Command(['publish', '--follow', '--json'])
  if !executable(l:command[0])
    return s:Fail(l:command[0] . ' is not installed, or not on the PATH')
  endif
  let s:job = has('nvim') ? s:NvimJob(l:command, s:run) : s:VimJob(l:command, s:run)
  if !s:IsRunning()
    call s:Fail(l:command[0] . ' cannot be started')
  endif
endfunction

" The job of a command, whose end is that of a run; 0 if it cannot be started.
function! s:NvimJob(command, run) abort
  let l:job = jobstart(a:command, {
        \ 'on_stdout': function('s:NvimOutput'), 'on_stderr': function('s:NvimErrors'),
        \ 'on_exit': {job, status, event -> s:Exited(a:run, status)},
        \ })
  return max([l:job, 0])
endfunction

function! s:VimJob(command, run) abort
  let l:job = job_start(a:command, {
        \ 'in_mode': 'raw', 'out_mode': 'nl', 'err_mode': 'nl', 'noblock': 1, 'stoponexit': 'term',
        \ 'out_cb': {channel, line -> s:Event(line)}, 'err_cb': {channel, line -> s:Error(line)},
        \ 'close_cb': {channel -> s:Exited(a:run, job_info(ch_getjob(channel)).exitval)},
        \ })
  return job_status(l:job) ==# 'fail' ? 0 : l:job
endfunction

function! s:Write(line) abort
  if !s:IsRunning()
    return
  endif
  try
    if has('nvim')
      call chansend(s:job, a:line . "\n")
    else
      call ch_sendraw(s:job, a:line . "\n")
    endif
  catch
    " It has just ended; s:Exited() tells the reason.
  endtry
endfunction

" Ends the activity by ending the input of handoffctl.
function! s:Stop() abort
  let [l:job, s:job, s:run] = [s:job, 0, s:run + 1]
  let [s:offered, s:asked, s:left, s:object, s:obstacle] = [{}, {}, {}, '', '']
  if type(l:job) == type(0) && l:job == 0
    return
  endif
  try
    if has('nvim')
      call chanclose(l:job, 'stdin')
    else
      call ch_close_in(l:job)
    endif
  catch
    " It had ended already.
  endtry
endfunction

function! s:NvimOutput(job, data, event) abort
  let l:lines = copy(a:data)
  let l:lines[0] = s:partial . l:lines[0]
  let s:partial = remove(l:lines, -1)
  for l:line in l:lines
    call s:Event(l:line)
  endfor
endfunction

function! s:NvimErrors(job, data, event) abort
  for l:line in a:data
    call s:Error(l:line)
  endfor
endfunction

function! s:Error(line) abort
  if a:line !=# ''
    let s:last_error = a:line
  endif
endfunction

function! s:Event(text) abort
  try
    let l:event = json_decode(a:text)
    let l:name = l:event.event
  catch
    return
  endtry
  if l:name ==# 'willSave'
    call s:Save()
  elseif l:name ==# 'streamOpened'
    call s:Send(l:event)
  elseif l:name ==# 'offered'
    let [s:object, s:obstacle] = [l:event.activity, get(l:event, 'documentProblem', '')]
  elseif l:name ==# 'continued'
    let s:continued = l:event.deviceName
  elseif l:name ==# 'daemonStopped'
    let s:object = ''
  elseif l:name ==# 'invalidLine'
    call handoff#message#Warn(get(l:event, 'message', ''))
  elseif index(['documentLost', 'withheld'], l:name) >= 0
    let s:obstacle = get(l:event, 'documentProblem', get(l:event, 'message', ''))
  elseif index(['documentFound', 'permitted', 'sessionBack'], l:name) >= 0
    let s:obstacle = ''
  elseif l:name ==# 'sessionAway'
    let s:obstacle = 'The session is locked or idle.'
  endif
endfunction

function! s:Exited(run, status) abort
  if a:run != s:run
    return
  endif
  let s:job = 0
  call s:Fail(s:last_error !=# '' ? s:last_error : 'handoffctl ended with status ' . a:status)
endfunction

" Switches off, and says so, once.
function! s:Fail(reason) abort
  let s:is_on = 0
  call s:Stop()
  let s:obstacle = a:reason
  call handoff#message#Warn(a:reason . '; :HandoffOn tries again')
endfunction

" MARK: Becoming current again

" Another program may have published since; then this activity begins anew, so that it is the current one.
function! s:Ask() abort
  if !s:is_on || s:object ==# '' || s:obstacle !=# '' || type(s:question) != type(0) || s:question > 0
    return
  endif
  let s:answer = ''
  let l:command = s:Command(['status', '--json'])
  if has('nvim')
    let s:question = jobstart(l:command, {
          \ 'stdout_buffered': v:true, 'on_stdout': {job, data, event -> s:Part(join(data, "\n"))},
          \ 'on_exit': {job, status, event -> s:Answered()},
          \ })
    let s:question = max([s:question, 0])
  else
    let s:question = job_start(l:command, {
          \ 'in_io': 'null', 'err_io': 'null', 'out_mode': 'raw', 'out_cb': {channel, text -> s:Part(text)},
          \ 'close_cb': {channel -> s:Answered()},
          \ })
  endif
endfunction

function! s:Part(text) abort
  let s:answer .= a:text
endfunction

function! s:Answered() abort
  let s:question = 0
  try
    let l:current = get(json_decode(s:answer), 'currentActivity', '')
  catch
    return
  endtry
  if l:current ==# '' || l:current ==# s:object || s:object ==# '' || empty(handoff#file#Focused())
    return
  endif
  call s:End()
  call s:Update(1)
endfunction

" MARK: Commands

" Begins to offer the file in the focused window.
function! handoff#On() abort
  if !has('nvim') && (!has('job') || !has('channel') || !has('timers') || !has('lambda'))
    call handoff#message#Warn('this Vim was built without jobs; Debian''s package vim has them, vim-tiny has not')
    return
  endif
  let s:is_on = 1
  let s:obstacle = ''
  augroup handoff
    autocmd!
    autocmd BufEnter,WinEnter,BufFilePost,BufReadPost,BufWritePost * call s:Entered()
    autocmd BufLeave,WinLeave * call s:Left()
    autocmd FocusGained,BufWritePost * call s:Ask()
    autocmd VimLeavePre * call handoff#Off()
  augroup END
  call s:Update(1)
endfunction

" Ends the activity, and offers nothing more.
function! handoff#Off() abort
  let s:is_on = 0
  augroup handoff
    autocmd!
  augroup END
  call s:Stop()
endfunction

" Says what is offered.
function! handoff#Status() abort
  if !s:is_on
    call handoff#message#Say('off' . (s:obstacle ==# '' ? '' : ': ' . s:obstacle))
  elseif empty(s:offered)
    call handoff#message#Say('nothing is offered')
  elseif s:obstacle !=# ''
    call handoff#message#Say(s:offered.title . ' is not offered: ' . s:obstacle)
  else
    let l:last = s:continued ==# '' ? '' : '; last continued on ' . s:continued
    call handoff#message#Say(s:offered.title . ' is offered' . l:last)
  endif
endfunction

let &cpoptions = s:cpo_save
unlet s:cpo_save
