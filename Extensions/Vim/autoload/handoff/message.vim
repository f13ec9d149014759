" Messages to the user.

let s:cpo_save = &cpoptions
set cpoptions&vim

" Shows a warning that waits for no key.
function! handoff#message#Warn(text) abort
  " A screen in silent or Ex mode has no place for it.
  if mode(1) =~# '^c[ve]'
    return
  endif
  let l:text = 'handoff: ' . substitute(a:text, '[[:cntrl:]]', ' ', 'g')
  echohl WarningMsg
  execute 'echomsg' string(strcharpart(l:text, 0, max([20, &columns - 15])))
  echohl None
endfunction

let &cpoptions = s:cpo_save
unlet s:cpo_save
