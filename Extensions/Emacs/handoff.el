;;; handoff.el --- Offer the file in the selected window to the user's other computers  -*- lexical-binding: t; -*-

;; Version: 0.2.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: convenience, files

;;; Commentary:

;; Off until it is switched on:
;;
;;     (require 'handoff)
;;     (handoff-mode 1)
;;
;; `handoff-status' says what is offered.  Docs/Editors.md of handoffd says what is sent, and what happens on the other
;; computer.

;;; Code:

(require 'handoff-file)
(require 'json)
(require 'subr-x)

(defgroup handoff nil
  "Continue on another computer what was begun on this one."
  :group 'files)

(defcustom handoff-command '("handoffctl")
  "The program `handoffctl' and its first arguments."
  :type '(repeat string))

(defconst handoff--pause 0.1
  "How long, in seconds, a change of the buffer waits for the next one.")

(defconst handoff--linger 1.0
  "How long a file stays offered while a buffer without a file is selected.
A look at the help should not end the activity.  In seconds.")

(defconst handoff--patience 0.5
  "How long, in seconds, Emacs waits for handoffctl to read.")

(defvar handoff--process nil
  "The process `handoffctl publish --follow', or nil.")
(defvar handoff--question nil
  "The process `handoffctl status', or nil.")
(defvar handoff--partial ""
  "The end of the output of handoffctl that is no whole line yet.")
(defvar handoff--offered nil
  "The file that is offered, as `handoff--file' returns it, or nil.")
(defvar handoff--asked nil
  "The file of the last answer to willSave, with which another device goes on.")
(defvar handoff--object nil
  "The object of the activity on the bus, or nil.")
(defvar handoff--obstacle nil
  "Why nothing is offered, as a sentence, or nil.")
(defvar handoff--continued nil
  "The name of the computer that continued the activity last.")
(defvar handoff--timer nil)
(defvar handoff--is-late nil
  "Whether the linger time has passed when `handoff--timer' runs.")

;;; What is offered

(defun handoff--offer (file)
  "Offer FILE."
  (setq handoff--offered file)
  (handoff--write (handoff--line file t)))

(defun handoff--end ()
  "End the activity."
  (when handoff--offered
    (setq handoff--offered nil
          handoff--asked nil
          handoff--object nil)
    (handoff--write "null")))

(defun handoff--update ()
  "Offer the file of the selected window if it is another one, or was saved.
Where there is none, end the activity."
  (setq handoff--timer nil)
  (let ((file (handoff--file)))
    (cond ((null file)
           (if (and handoff--offered (not handoff--is-late))
               (handoff--update-after handoff--linger t)
             (handoff--end)))
          ((not (and handoff--offered
                     (equal (plist-get file :url) (plist-get handoff--offered :url))
                     (equal (plist-get file :time) (plist-get handoff--offered :time))))
           (handoff--start)
           (when handoff--process (handoff--offer file))))))

(defun handoff--update-after (seconds is-late)
  "Call `handoff--update' after SECONDS, with IS-LATE as `handoff--is-late'."
  (when handoff--timer (cancel-timer handoff--timer))
  (setq handoff--is-late is-late
        handoff--timer (run-at-time seconds nil #'handoff--update)))

(defun handoff--changed (&rest _)
  "Look at the selected window a moment later."
  (handoff--update-after handoff--pause nil))

(defun handoff--save ()
  "Answer willSave, twice.
The second line says that the next device has to ask again."
  (let ((file (or (handoff--file) handoff--offered)))
    (if (null file)
        (handoff--write "{}")
      (setq handoff--offered file
            handoff--asked file)
      (handoff--write (handoff--line file nil))
      (handoff--write (handoff--line file t)))))

(defun handoff--send (event)
  "Give the unsaved text to a device that has asked for it by EVENT.
It is that of the file with which the device goes on, though another one may be
offered by now."
  (condition-case nil
      (progn
        (handoff--write-text handoff--asked (alist-get 'path event))
        (handoff--write (format "{\"stream\": %d}" (alist-get 'stream event))))
    ;; handoffctl breaks the stream then, when it has waited.
    (error nil)))

;;; handoffctl

(defun handoff--start ()
  "Start handoffctl unless it runs."
  (unless handoff--process
    (setq handoff--partial "")
    (let ((errors (generate-new-buffer " *handoff errors*")) (default-directory "/"))
      (condition-case error
          (progn
            (setq handoff--process
                  (make-process :name "handoff" :command (append handoff-command '("publish" "--follow" "--json"))
                                :connection-type 'pipe :coding 'utf-8-unix :noquery t
                                :filter #'handoff--filter :sentinel #'handoff--sentinel
                                :stderr (make-pipe-process :name "handoff errors" :buffer errors :noquery t
                                                           :sentinel #'ignore)))
            (process-put handoff--process 'errors errors))
        (error
         ;; The pipe ends with its buffer.
         (kill-buffer errors)
         (handoff--fail (error-message-string error)))))))

(defun handoff--write (line)
  "Write LINE to handoffctl."
  (when (process-live-p handoff--process)
    (condition-case nil
        ;; Emacs waits while the pipe is full: 64 KiB that are not read.
        (with-timeout (handoff--patience (handoff--fail "handoffctl does not read what Emacs writes"))
          (process-send-string handoff--process (concat line "\n")))
      ;; It has just ended; its sentinel tells the reason.
      (error nil))))

(defun handoff--stop ()
  "End the activity by ending handoffctl."
  (let ((process handoff--process))
    (setq handoff--process nil
          handoff--offered nil
          handoff--asked nil
          handoff--object nil
          handoff--obstacle nil)
    (when process
      (set-process-sentinel process #'ignore)
      (set-process-filter process #'ignore)
      (kill-buffer (process-get process 'errors))
      (when (process-live-p process)
        ;; As Ctrl-C does: handoffctl ends the activity.  Its end of input may be behind lines that it does not read.
        (interrupt-process process)))))

(defun handoff--filter (process text)
  "Handle the TEXT that PROCESS has printed."
  (when (eq process handoff--process)
    (let ((lines (split-string (concat handoff--partial text) "\n")))
      (setq handoff--partial (car (last lines)))
      (dolist (line (butlast lines))
        (handoff--event (ignore-errors (json-read-from-string line)))))))

(defun handoff--event (event)
  "Handle an EVENT of `handoffctl publish --follow'."
  (pcase (alist-get 'event event)
    ("willSave" (handoff--save))
    ("streamOpened" (handoff--send event))
    ("offered" (setq handoff--object (alist-get 'activity event)
                     handoff--obstacle (alist-get 'documentProblem event)))
    ("continued" (setq handoff--continued (alist-get 'deviceName event)))
    ("daemonStopped" (setq handoff--object nil))
    ("invalidLine" (handoff--say (alist-get 'message event)))
    ((or "documentLost" "withheld")
     (setq handoff--obstacle (or (alist-get 'documentProblem event) (alist-get 'message event))))
    ("sessionAway" (setq handoff--obstacle "The session is locked or idle."))
    ((or "documentFound" "permitted" "sessionBack") (setq handoff--obstacle nil))))

(defun handoff--sentinel (process change)
  "Switch off when PROCESS has ended; CHANGE says how."
  (when (and (eq process handoff--process) (not (process-live-p process)))
    (let ((errors (process-get process 'errors)))
      ;; The last of what it has printed may still be in the pipe.
      (while (accept-process-output (get-buffer-process errors) 0.1))
      (handoff--fail (or (car (last (split-string (with-current-buffer errors (buffer-string)) "\n" t)))
                         (concat "handoffctl: " (string-trim change)))))))

(defun handoff--fail (reason)
  "Switch off, and say REASON, once."
  (handoff-mode -1)
  (setq handoff--obstacle reason)
  (handoff--say (concat reason "; M-x handoff-mode tries again")))

;;; Becoming current again

(defun handoff--ask ()
  "Ask which activity is current: another program may have published since."
  (when (and handoff--object (not handoff--obstacle) (not (process-live-p handoff--question)))
    (let ((answer "") (default-directory "/"))
      (setq handoff--question
            (ignore-errors
              (make-process :name "handoff status" :command (append handoff-command '("status" "--json"))
                            :connection-type 'pipe :coding 'utf-8-unix :noquery t
                            :filter (lambda (_ text) (setq answer (concat answer text)))
                            :sentinel (lambda (process _)
                                        (unless (process-live-p process) (handoff--answered answer)))))))))

(defun handoff--answered (answer)
  "Begin the activity anew if ANSWER, the status of the daemon, has another one."
  (let ((current (alist-get 'currentActivity (ignore-errors (json-read-from-string answer)))))
    (when (and handoff--object (stringp current) (not (member current (list "" handoff--object))) (handoff--file))
      (handoff--end)
      (handoff--update))))

(defun handoff--focus-changed ()
  "Become current again when Emacs gets the focus."
  (when (eq (frame-focus-state) t) (handoff--ask)))

(defun handoff--saved ()
  "Look at the file that was saved."
  (handoff--changed)
  (handoff--ask))

;;; Commands

;;;###autoload
(define-minor-mode handoff-mode
  "Offer the file in the selected window to the user's other computers.
The place of the cursor is sent with it."
  :global t
  (let ((change (if handoff-mode #'add-hook #'remove-hook)))
    (funcall change 'window-buffer-change-functions #'handoff--changed)
    (funcall change 'window-selection-change-functions #'handoff--changed)
    (funcall change 'after-save-hook #'handoff--saved)
    (funcall change 'after-revert-hook #'handoff--changed)
    (funcall change 'kill-emacs-hook #'handoff--stop))
  (remove-function after-focus-change-function #'handoff--focus-changed)
  (when handoff--timer (cancel-timer handoff--timer))
  (setq handoff--timer nil)
  (if (not handoff-mode)
      (handoff--stop)
    (add-function :after after-focus-change-function #'handoff--focus-changed)
    (setq handoff--obstacle nil)
    (handoff--changed)))

(defun handoff-status ()
  "Say what is offered."
  (interactive)
  (handoff--say
   (cond ((not handoff-mode) (concat "off" (and handoff--obstacle (concat ": " handoff--obstacle))))
         ((null handoff--offered) "nothing is offered")
         (handoff--obstacle
          (format "%s is not offered: %s" (plist-get handoff--offered :title) handoff--obstacle))
         (t (format "%s is offered%s" (plist-get handoff--offered :title)
                    (if handoff--continued (concat "; last continued on " handoff--continued) ""))))))

(defun handoff--say (text)
  "Show TEXT, which may have names of files and of other computers."
  (message "handoff: %s" (handoff--plain text)))

(provide 'handoff)

;;; handoff.el ends here
