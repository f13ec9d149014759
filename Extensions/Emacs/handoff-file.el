;;; handoff-file.el --- The file in the selected window, and how handoffctl is told of it  -*- lexical-binding: t; -*-

;;; Commentary:

;; A part of handoff.el.  Nothing here starts handoffctl, or writes to it.

;;; Code:

(require 'json)
(require 'seq)

(defcustom handoff-unsaved nil
  "Whether unsaved text is given to the user's other computers.
One gets it that takes the activity and asks for it.  Only the global value
counts, so that no file can set it."
  :group 'handoff
  :risky t
  :type 'boolean)

(defconst handoff--type "org.handoffd.document.text")

(defconst handoff--maximum (- (* 16 1024 1024) 64)
  "How much unsaved text is sent, in bytes.
It is what a stream of `handoffctl publish --follow' carries, less its first
line.")

(defvar-local handoff--number nil
  "The path of the file of this buffer, and the number of both.
By that, the other computer knows whose text it gets.")
(put 'handoff--number 'permanent-local t)
(defvar handoff--last-number 0
  "The last number that a file of a buffer got.")

(defconst handoff--unshown
  '((0 . 31) (127 . 159) (#x061C . #x061C) (#x200E . #x200F) (#x2028 . #x202E) (#x2066 . #x2069))
  "The ranges of characters that are not shown as they are.")

;;; The file

(defun handoff--window ()
  "The window whose file is offered: the selected one.
In the minibuffer, it is that from which the minibuffer was entered."
  (or (and (window-minibuffer-p) (minibuffer-selected-window)) (selected-window)))

(defun handoff--path (buffer)
  "The path of the file of BUFFER, or nil if that is on no disk of this computer."
  (let ((path (buffer-local-value 'buffer-file-name buffer)))
    (when (and path (not (file-remote-p path)))
      (expand-file-name (file-name-unquote path)))))

(defun handoff--file ()
  "The file in the selected window, as a property list.
It is nil when there is none that another computer could open."
  (let* ((window (handoff--window))
         (buffer (window-buffer window))
         (path (handoff--path buffer))
         (attributes (and path (handoff--attributes path))))
    (when (and attributes (null (file-attribute-type attributes)))
      (with-current-buffer buffer
        (save-excursion
          (save-restriction
            (widen)
            (goto-char (window-point window))
            (list :buffer buffer
                  :path path
                  :number (handoff--number path)
                  :url (concat "file://" (handoff--percent-encoded path))
                  :title (handoff--title path)
                  :line (line-number-at-pos)
                  :column (1+ (- (point) (let ((inhibit-field-text-motion t)) (line-beginning-position))))
                  :modified (and (buffer-modified-p) t)
                  :time (truncate (float-time (file-attribute-modification-time attributes))))))))))

(defun handoff--number (path)
  "The number of the file PATH of the current buffer.
With another file, the buffer has another number."
  (unless (equal (car handoff--number) path)
    (setq handoff--number (cons path (setq handoff--last-number (1+ handoff--last-number)))))
  (cdr handoff--number))

(defun handoff--attributes (path)
  "The attributes of the file PATH, or of what it links to; nil if there is none."
  (let* ((file-name-handler-alist nil)
         (attributes (file-attributes path)))
    ;; A string is the target of a symbolic link.
    (if (and attributes (stringp (file-attribute-type attributes)))
        (file-attributes (file-truename path))
      attributes)))

(defun handoff--percent-encoded (path)
  "PATH as the path of a URL.
All bytes but those that RFC 3986 calls unreserved, and the slash, are %XX."
  (mapconcat
   (lambda (byte)
     (if (or (<= ?A byte ?Z) (<= ?a byte ?z) (<= ?0 byte ?9) (memq byte '(?/ ?. ?_ ?~ ?-)))
         (string byte)
       (format "%%%02X" byte)))
   (encode-coding-string path (or file-name-coding-system default-file-name-coding-system 'utf-8-unix) t)
   ""))

(defun handoff--title (path)
  "The name of the file PATH as text for a user.
It has no control characters, and is as long as a title may be."
  (let* ((name (handoff--plain (file-name-nondirectory path)))
         (end (min 200 (length name))))
    ;; A character keeps its combining marks, and what a joiner joins.
    (while (and (< 0 end (length name))
                (or (memq (get-char-code-property (aref name end) 'general-category) '(Mn Mc Me))
                    (memq #x200d (list (aref name (1- end)) (aref name end)))))
      (setq end (1- end)))
    (substring name 0 end)))

(defun handoff--plain (text)
  "TEXT without characters that are not shown as they are.
Control characters may do something, and others turn what is beside them."
  (mapconcat (lambda (character)
               (cond ((seq-some (lambda (range) (<= (car range) character (cdr range))) handoff--unshown) " ")
                     ;; Bytes that are not UTF-8.
                     ((> character #x10FFFF) "?")
                     (t (string character))))
             text ""))

(defun handoff--line (file needs-save)
  "The line for handoffctl about FILE.
With NEEDS-SAVE, handoffctl asks for the place of the cursor when another device
fetches the activity."
  (let ((json-encoding-pretty-print nil))
    (json-encode
     `((type . ,handoff--type) (title . ,(plist-get file :title)) (documentURL . ,(plist-get file :url))
       (needsSave . ,(if needs-save t json-false))
       ,@(and (default-value 'handoff-unsaved) '((supportsContinuationStreams . t)))
       (userInfo . ((version . 1) (line . ,(plist-get file :line)) (column . ,(plist-get file :column))
                    (modified . ,(if (plist-get file :modified) t json-false))
                    (modificationTime . ,(plist-get file :time))
                    ,@(and (default-value 'handoff-unsaved) `((buffer . ,(plist-get file :number))))))))))

;;; Unsaved text

(defun handoff--write-text (file path)
  "Write the unsaved text of FILE as it is now to PATH, for a stream.
It begins with a line that says whether the text follows, and whose it is."
  (let* ((state (handoff--text-state file))
         (json-encoding-pretty-print nil)
         (number (and (equal state "text") `((buffer . ,(plist-get file :number)))))
         (head (json-encode `((version . 1) (state . ,state) ,@number))))
    (with-current-buffer (if (equal state "text") (plist-get file :buffer) (current-buffer))
      ;; In that buffer, where they may have local values.
      (let ((coding-system-for-write 'utf-8-unix) (coding-system-require-warning nil)
            (write-region-annotate-functions nil) (write-region-post-annotation-function nil)
            (file-name-handler-alist nil) (create-lockfiles nil) (write-region-inhibit-fsync t))
        (write-region (concat head "\n") nil path nil 'silent)
        (when (equal state "text")
          ;; All of the buffer, also where it is narrowed.
          (write-region nil nil path t 'silent))))))

(defun handoff--text-state (file)
  "Whether the unsaved text of FILE is sent: \"text\"; else why not."
  (let ((buffer (plist-get file :buffer)))
    (cond ((not (default-value 'handoff-unsaved)) "off")
          ((not (and (buffer-live-p buffer) (buffer-modified-p buffer))) "saved")
          ;; The buffer may have another file by now.
          ((not (equal (handoff--path buffer) (plist-get file :path))) "other")
          (t (with-current-buffer buffer
               (save-excursion
                 (save-restriction
                   (widen)
                   (cond ((handoff--is-transformed) "off")
                         ((not enable-multibyte-characters) "encoding")
                         ;; Inside Emacs, a text is in a superset of UTF-8.
                         ((> (position-bytes (point-max)) handoff--maximum) "large")
                         ((handoff--is-unicode) "text")
                         (t "encoding")))))))))

(defun handoff--is-transformed ()
  "Whether the file of the current buffer has another form than its text.
It may be encrypted or compressed, or shown as a dump of its bytes."
  (or buffer-file-format
      (derived-mode-p 'hexl-mode)
      (handoff--is-written-by-hooks)
      (find-file-name-handler (handoff--path (current-buffer)) 'write-region)))

(defun handoff--is-written-by-hooks ()
  "Whether functions of the current buffer alone write its file.
They may encrypt the text, or put it into an archive.  Functions of all buffers
mostly tidy the text up; of those, only that of org-crypt counts."
  (or (seq-some (lambda (hook) (and (local-variable-p hook) (remq t (handoff--functions (symbol-value hook)))))
                '(write-contents-functions write-file-functions local-write-file-hooks))
      (memq 'org-encrypt-entries (append (handoff--functions before-save-hook)
                                         (handoff--functions (default-value 'before-save-hook))))))

(defun handoff--functions (value)
  "The functions of a hook whose value is VALUE: a list, or one function."
  (if (functionp value) (list value) value))

(defun handoff--is-unicode ()
  "Whether the current buffer has only characters that UTF-8 can encode.
Emacs has also bytes that it could not decode, and characters of its own."
  (goto-char (point-min))
  (skip-chars-forward "\0-\uD7FF\uE000-\U0010FFFF")
  (eobp))

(provide 'handoff-file)

;;; handoff-file.el ends here
