# On the laptop, in two terminals:
handoffctl monitor
editor

# On the desktop computer:
handoffctl nearby --watch
editor
handoffctl continue
