" handoff.vim: offers the file in the focused window, with the place of the cursor, to the user's other computers.
"
" For Vim 8.2 or newer with +job, and Neovim. It does nothing before it is switched on:
"
"     let g:handoff_enabled = 1                " in vimrc or init.vim; or :HandoffOn
"     let g:handoff_command = ['handoffctl']   " the program and its first arguments; this is the default
"
" :HandoffOn and :HandoffOff switch it on and off until the editor ends, :HandoffStatus says what is offered.
" Docs/Editors.md of handoffd says what is sent, and what happens on the other computer.

if exists('g:loaded_handoff') || &compatible
  finish
endif
let g:loaded_handoff = 1

let s:cpo_save = &cpoptions
set cpoptions&vim

let s:type = 'org.handoffd.document.text'

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

" The file in this window, or {} when there is none that another computer could open.
function! s:File() abort
  " Not expand('%:p'), which 'wildignore' can empty, and which takes a leading ~ for a home directory.
  let l:path = get(getbufinfo(bufnr('%'))[0], 'name', '')
  " A name with a scheme is that of a plug-in, which fetches it from elsewhere.
  if &buftype !=# '' || l:path ==# '' || l:path =~# '^\a[a-zA-Z0-9+.-]*://' || l:path[0] !=# '/'
        \ || !filereadable(l:path)
    return {}
  endif
  return {
        \ 'url': 'file://' . s:PercentEncoded(l:path),
        \ 'title': s:Title(l:path),
        \ 'line': line('.'),
        \ 'column': strchars(strpart(getline('.'), 0, col('.') - 1)) + 1,
        \ 'modified': &modified ? v:true : v:false,
        \ 'time': getftime(l:path),
        \ }
endfunction

" All bytes but those that RFC 3986 calls unreserved, and the slash, as %XX.
function! s:PercentEncoded(path) abort
  let l:text = ''
  for l:index in range(strlen(a:path))
    let l:byte = a:path[l:index]
    let l:text .= l:byte =~# '[A-Za-z0-9/._~-]' ? l:byte : printf('%%%02X', char2nr(l:byte, 0) % 256)
  endfor
  return l:text
endfunction

" The name of the file, as text for a user: without control characters, and as long as a title may be.
function! s:Title(path) abort
  let l:name = substitute(fnamemodify(a:path, ':t'), '[[:cntrl:]]', ' ', 'g')
  return s:IsUTF8(l:name) ? strcharpart(l:name, 0, 200) : substitute(l:name, '[^ -~]', '?', 'g')
endfunction

function! s:IsUTF8(text) abort
  return iconv(iconv(a:text, 'utf-8', 'ucs-4'), 'ucs-4', 'utf-8') ==# a:text
endfunction

" The line for handoffctl. With needsSave, it asks for the place of the cursor when another device fetches the activity.
function! s:Line(file, needs_save) abort
  return json_encode({
        \ 'type': s:type, 'title': a:file.title, 'documentURL': a:file.url,
        \ 'needsSave': a:needs_save ? v:true : v:false,
        \ 'userInfo': {
        \   'version': 1, 'line': a:file.line, 'column': a:file.column, 'modified': a:file.modified,
        \   'modificationTime': a:file.time,
        \ }})
endfunction

function! s:Offer(file) abort
  let s:offered = a:file
  let s:left = {}
  call s:Write(s:Line(a:file, 1))
endfunction

function! s:End() abort
  if !empty(s:offered)
    let s:offered = {}
    let s:object = ''
    call s:Write('null')
  endif
endfunction

" Offers the file of the focused window if that is another one, or was saved; ends the activity where there is none.
function! s:Update(is_late, ...) abort
  let s:timer = -1
  let l:file = s:is_on ? s:File() : {}
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
    let l:file = s:File()
    if get(l:file, 'url', '') ==# s:offered.url
      let s:left = l:file
    endif
  endif
endfunction

" The answer to willSave, twice: the second line says that the next device has to ask again.
function! s:Save() abort
  let l:file = s:File()
  if empty(l:file)
    let l:file = empty(s:left) ? s:offered : s:left
  endif
  if empty(l:file)
    call s:Write('{}')
    return
  endif
  let s:offered = l:file
  call s:Write(s:Line(l:file, 0))
  call s:Write(s:Line(l:file, 1))
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
  let l:run = s:run
  let l:command = s:Command(['publish', '--follow', '--json'])
  if !executable(l:command[0])
    return s:Fail(l:command[0] . ' is not installed, or not on the PATH')
  endif
  if has('nvim')
    let s:job = jobstart(l:command, {
          \ 'on_stdout': function('s:NvimOutput'), 'on_stderr': function('s:NvimErrors'),
          \ 'on_exit': {job, status, event -> s:Exited(l:run, status)},
          \ })
    if s:job <= 0
      let s:job = 0
      call s:Fail(l:command[0] . ' cannot be started')
    endif
  else
    let l:job = job_start(l:command, {
          \ 'in_mode': 'raw', 'out_mode': 'nl', 'err_mode': 'nl', 'noblock': 1, 'stoponexit': 'term',
          \ 'out_cb': {channel, line -> s:Event(line)}, 'err_cb': {channel, line -> s:Error(line)},
          \ 'close_cb': {channel -> s:Exited(l:run, job_info(ch_getjob(channel)).exitval)},
          \ })
    if job_status(l:job) ==# 'fail'
      return s:Fail(l:command[0] . ' cannot be started')
    endif
    let s:job = l:job
  endif
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
  let [s:offered, s:left, s:object, s:obstacle] = [{}, {}, '', '']
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
  elseif l:name ==# 'offered'
    let [s:object, s:obstacle] = [l:event.activity, get(l:event, 'documentProblem', '')]
  elseif l:name ==# 'continued'
    let s:continued = l:event.deviceName
  elseif l:name ==# 'daemonStopped'
    let s:object = ''
  elseif l:name ==# 'invalidLine'
    call s:Complain(get(l:event, 'message', ''))
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
  call s:Complain(a:reason . '; :HandoffOn tries again')
endfunction

" A message that waits for no key.
function! s:Complain(text) abort
  " A screen in silent or Ex mode has no place for it.
  if mode(1) =~# '^c[ve]'
    return
  endif
  let l:text = 'handoff: ' . substitute(a:text, '[[:cntrl:]]', ' ', 'g')
  echohl WarningMsg
  execute 'echomsg' string(strcharpart(l:text, 0, max([20, &columns - 15])))
  echohl None
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
  if l:current ==# '' || l:current ==# s:object || s:object ==# '' || empty(s:File())
    return
  endif
  call s:End()
  call s:Update(1)
endfunction

" MARK: Commands

function! s:On() abort
  if !has('nvim') && (!has('job') || !has('channel') || !has('timers') || !has('lambda'))
    echomsg 'handoff: this Vim was built without jobs; Debian''s package vim has them, vim-tiny has not'
    return
  endif
  let s:is_on = 1
  let s:obstacle = ''
  augroup handoff
    autocmd!
    autocmd BufEnter,WinEnter,BufFilePost,BufReadPost,BufWritePost * call s:Entered()
    autocmd BufLeave,WinLeave * call s:Left()
    autocmd FocusGained,BufWritePost * call s:Ask()
    autocmd VimLeavePre * call s:Off()
  augroup END
  call s:Update(1)
endfunction

function! s:Off() abort
  let s:is_on = 0
  augroup handoff
    autocmd!
  augroup END
  call s:Stop()
endfunction

function! s:Status() abort
  if !s:is_on
    echo 'handoff: off' . (s:obstacle ==# '' ? '' : ': ' . s:obstacle)
  elseif empty(s:offered)
    echo 'handoff: nothing is offered'
  elseif s:obstacle !=# ''
    echo 'handoff: ' . s:offered.title . ' is not offered: ' . s:obstacle
  else
    let l:last = s:continued ==# '' ? '' : '; last continued on ' . s:continued
    echo 'handoff: ' . s:offered.title . ' is offered' . l:last
  endif
endfunction

command! -bar HandoffOn call s:On()
command! -bar HandoffOff call s:Off()
command! -bar HandoffStatus call s:Status()

if get(g:, 'handoff_enabled', 0)
  if v:vim_did_enter
    call s:On()
  else
    augroup handoff
      autocmd VimEnter * call s:On()
    augroup END
  endif
endif

let &cpoptions = s:cpo_save
unlet s:cpo_save
