" The file in the focused window, and how handoffctl is told of it.

let s:cpo_save = &cpoptions
set cpoptions&vim

let s:type = 'org.handoffd.document.text'
" How much unsaved text is sent, in bytes: what a stream of `handoffctl publish --follow` carries, less its first line.
let s:maximum = 16 * 1024 * 1024 - 64
" The names of files that plug-ins encrypt.
let s:encrypted = '\.\(gpg\|pgp\|asc\|age\)$'
" The number of each document of each buffer, by which the other computer knows whose text it gets.
let s:numbers = {}

" The file in this window, or {} when there is none that another computer could open.
function! handoff#file#Focused() abort
  " Not expand('%:p'), which 'wildignore' can empty, and which takes a leading ~ for a home directory.
  let l:path = get(getbufinfo(bufnr('%'))[0], 'name', '')
  " A name with a scheme is that of a plug-in, which fetches it from elsewhere.
  if &buftype !=# '' || l:path ==# '' || l:path =~# '^\a[a-zA-Z0-9+.-]*://' || l:path[0] !=# '/'
        \ || !filereadable(l:path)
    return {}
  endif
  return {
        \ 'buffer': bufnr('%'),
        \ 'url': s:URL(l:path),
        \ 'title': s:Title(l:path),
        \ 'line': line('.'),
        \ 'column': strchars(strpart(getline('.'), 0, col('.') - 1)) + 1,
        \ 'modified': &modified ? v:true : v:false,
        \ 'time': getftime(l:path),
        \ }
endfunction

function! s:URL(path) abort
  return 'file://' . s:PercentEncoded(a:path)
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

" The name of the file, as text for a user: without control characters, and as long as a title may be. In a pattern, a
" character has its combining marks.
function! s:Title(path) abort
  let l:name = substitute(fnamemodify(a:path, ':t'), '[[:cntrl:]]', ' ', 'g')
  return s:IsUTF8(l:name) ? matchstr(l:name, '^.\{0,200}') : substitute(l:name, '[^ -~]', '?', 'g')
endfunction

function! s:IsUTF8(text) abort
  return iconv(iconv(a:text, 'utf-8', 'ucs-4'), 'ucs-4', 'utf-8') ==# a:text
endfunction

" The line for handoffctl. With needsSave, it asks for the place of the cursor when another device fetches the activity.
function! handoff#file#Line(file, needs_save) abort
  let l:gives_text = get(g:, 'handoff_unsaved', 0)
  let l:more = l:gives_text ? {'supportsContinuationStreams': v:true} : {}
  let l:number = l:gives_text ? {'buffer': s:Number(a:file)} : {}
  return json_encode(extend(l:more, {
        \ 'type': s:type, 'title': a:file.title, 'documentURL': a:file.url,
        \ 'needsSave': a:needs_save ? v:true : v:false,
        \ 'userInfo': extend(l:number, {
        \   'version': 1, 'line': a:file.line, 'column': a:file.column, 'modified': a:file.modified,
        \   'modificationTime': a:file.time,
        \ })}))
endfunction

" A buffer that gets another name has another document, and so another number.
function! s:Number(file) abort
  let l:key = a:file.buffer . ' ' . a:file.url
  let s:numbers[l:key] = get(s:numbers, l:key, len(s:numbers) + 1)
  return s:numbers[l:key]
endfunction

" Writes the unsaved text of a file as it is now, for a stream: a line that says whether it follows and whose it is, then
" the text.
function! handoff#file#WriteText(file, path) abort
  let l:state = s:TextState(a:file)
  let l:lines = l:state ==# 'text' ? getbufline(a:file.buffer, 1, '$') : []
  " In a binary file, the last line has no line feed.
  let l:number = l:state ==# 'text' ? {'buffer': s:Number(a:file)} : {}
  call writefile([s:TextHead(l:state, l:number)] + l:lines + [''], a:path, 'b')
  if getfsize(a:path) > s:maximum
    call writefile([s:TextHead('large', {}), ''], a:path, 'b')
  endif
endfunction

function! s:TextHead(state, more) abort
  return json_encode(extend({'version': 1, 'state': a:state}, a:more))
endfunction

function! s:TextState(file) abort
  if !get(g:, 'handoff_unsaved', 0)
    return 'off'
  elseif empty(a:file) || !bufloaded(a:file.buffer) || !getbufvar(a:file.buffer, '&modified')
    return 'saved'
  elseif s:URL(get(getbufinfo(a:file.buffer)[0], 'name', '')) !=# a:file.url
    " The buffer has got another name.
    return 'other'
  elseif getbufvar(a:file.buffer, '&key', '') !=# '' || a:file.url =~? s:encrypted
    " The file is encrypted; its text is the user's alone.
    return 'off'
  elseif &encoding !=# 'utf-8'
    return 'encoding'
  endif
  return 'text'
endfunction

let &cpoptions = s:cpo_save
unlet s:cpo_save
