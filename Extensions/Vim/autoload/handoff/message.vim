" Messages to the user, with names of files and of other computers in them.

let s:cpo_save = &cpoptions
set cpoptions&vim

" A text without characters that Vim or its terminal would not show as they are, or that turn what is beside them.
function! handoff#message#Plain(text) abort
  let l:text = substitute(a:text, '[[:cntrl:]]', ' ', 'g')
  return &encoding !=# 'utf-8' ? l:text
        \ : substitute(l:text, '[\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', ' ', 'g')
endfunction

" Shows a warning that waits for no key.
function! handoff#message#Warn(text) abort
  " A screen in silent or Ex mode has no place for it.
  if mode(1) =~# '^c[ve]'
    return
  endif
  let l:text = handoff#message#Plain('handoff: ' . a:text)
  echohl WarningMsg
  " In a pattern, a character has its combining marks.
  execute 'echomsg' string(matchstr(l:text, '^.\{0,' . max([20, &columns - 15]) . '}'))
  echohl None
endfunction

" Shows what the user has asked for.
function! handoff#message#Say(text) abort
  echo handoff#message#Plain('handoff: ' . a:text)
endfunction

let &cpoptions = s:cpo_save
unlet s:cpo_save
