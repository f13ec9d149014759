" handoff.vim: offers the file in the focused window, with the place of the cursor, to the user's other computers.
"
" For Vim 8.2 or newer with +job, and Neovim. It does nothing before it is switched on:
"
"     let g:handoff_enabled = 1                " in vimrc or init.vim; or :HandoffOn
"     let g:handoff_unsaved = 1                " give unsaved text to a device whose user asks for it; not by itself
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

command! -bar HandoffOn call handoff#On()
command! -bar HandoffOff call handoff#Off()
command! -bar HandoffStatus call handoff#Status()

if get(g:, 'handoff_enabled', 0)
  if v:vim_did_enter
    call handoff#On()
  else
    augroup handoff
      autocmd VimEnter * call handoff#On()
    augroup END
  endif
endif

let &cpoptions = s:cpo_save
unlet s:cpo_save
