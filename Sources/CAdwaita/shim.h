// GTK 4 and libadwaita for Swift, which imports neither macros that cast nor functions with a variable number of
// arguments. All widgets are GtkWidget here; GTK checks each cast. There is no g_autofree: Swift emits no such cleanup.
#ifndef CADWAITA_SHIM_H
#define CADWAITA_SHIM_H

// What the Glibc module declares too must belong to it (Sources/CLinux/shim.h).
#pragma clang module import SwiftGlibc

#include <adwaita.h>

// Signals: the callback gets `data` first, whatever else the signal carries (G_CONNECT_SWAPPED).

static inline void cadw_connect(gpointer object, const char *signal, void (*callback)(gpointer), gpointer data,
                                void (*destroy)(gpointer)) {
    g_signal_connect_data(object, signal, G_CALLBACK(callback), data, (GClosureNotify)(void (*)(void))destroy,
                          G_CONNECT_SWAPPED);
}

/// The handler of `response` gets the id of the response.
static inline void cadw_connect_response(GtkWidget *dialog, void (*callback)(gpointer, const char *), gpointer data,
                                         void (*destroy)(gpointer)) {
    g_signal_connect_data(dialog, "response", G_CALLBACK(callback), data, (GClosureNotify)(void (*)(void))destroy,
                          G_CONNECT_SWAPPED);
}

// The application and its window

/// Windows have the id as their class, by which desktops find the desktop file.
static inline GApplication *cadw_application_new(const char *id) {
    g_set_prgname(id);
    g_set_application_name("Handoff");
    return G_APPLICATION(adw_application_new(id, G_APPLICATION_DEFAULT_FLAGS));
}

/// Adds an action without a parameter, with its keys.
static inline gpointer cadw_application_add_action(GApplication *application, const char *name, const char *key) {
    GSimpleAction *action = g_simple_action_new(name, NULL);
    g_action_map_add_action(G_ACTION_MAP(application), G_ACTION(action));
    char *detailed = g_strconcat("app.", name, NULL);
    const char *keys[] = {key, NULL};
    if (key != NULL) { gtk_application_set_accels_for_action(GTK_APPLICATION(application), detailed, keys); }
    g_free(detailed);
    g_object_unref(action);
    return action;
}

/// Ends the main loop, whatever windows are still open.
static inline void cadw_application_quit(GApplication *application) { g_application_quit(application); }

/// Calls `callback` once a minute as long as the process runs.
static inline void cadw_every_minute(GSourceFunc callback, gpointer data) {
    g_timeout_add_seconds(60, callback, data);
}

static inline void cadw_window_attach(GtkWidget *window, GApplication *application) {
    gtk_window_set_application(GTK_WINDOW(window), GTK_APPLICATION(application));
}

static inline void cadw_window_present(GtkWidget *window) { gtk_window_present(GTK_WINDOW(window)); }
static inline void cadw_window_close(GtkWidget *window) { gtk_window_close(GTK_WINDOW(window)); }
static inline gboolean cadw_window_is_active(GtkWidget *window) { return gtk_window_is_active(GTK_WINDOW(window)); }

static inline void cadw_add_css(const char *css) {
    GtkCssProvider *provider = gtk_css_provider_new();
    gtk_css_provider_load_from_data(provider, css, -1);
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(provider),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    g_object_unref(provider);
}

/// Returns a new token with which another program may take the focus; NULL if the display has none.
static inline char *cadw_activation_token(void) {
    GdkAppLaunchContext *context = gdk_display_get_app_launch_context(gdk_display_get_default());
    // GIO gives no token without the description of a program, whichever it is: the daemon chooses the app.
    GAppInfo *program = g_app_info_create_from_commandline(
        "handoffd", NULL, G_APP_INFO_CREATE_SUPPORTS_STARTUP_NOTIFICATION, NULL);
    char *token = program == NULL
        ? NULL
        : g_app_launch_context_get_startup_notify_id(G_APP_LAUNCH_CONTEXT(context), program, NULL);
    if (program != NULL) { g_object_unref(program); }
    g_object_unref(context);
    return token;
}

static inline GtkBuilder *cadw_builder_new(const char *text, gssize length, const char *domain) {
    GtkBuilder *builder = gtk_builder_new();
    gtk_builder_set_translation_domain(builder, domain);
    GError *error = NULL;
    if (!gtk_builder_add_from_string(builder, text, length, &error)) { g_error("%s", error->message); }
    return builder;
}

static inline GtkWidget *cadw_builder_widget(GtkBuilder *builder, const char *name) {
    return GTK_WIDGET(gtk_builder_get_object(builder, name));
}

// The pages

static inline void cadw_stack_add(GtkWidget *stack, GtkWidget *child, const char *name, const char *title,
                                  const char *icon) {
    adw_view_stack_add_titled_with_icon(ADW_VIEW_STACK(stack), child, name, title, icon);
}

static inline void cadw_stack_show(GtkWidget *stack, const char *name) {
    adw_view_stack_set_visible_child_name(ADW_VIEW_STACK(stack), name);
}

static inline const char *cadw_stack_shown(GtkWidget *stack) {
    return adw_view_stack_get_visible_child_name(ADW_VIEW_STACK(stack));
}

static inline void cadw_stack_set_needs_attention(GtkWidget *stack, GtkWidget *child, gboolean needs_attention) {
    adw_view_stack_page_set_needs_attention(adw_view_stack_get_page(ADW_VIEW_STACK(stack), child), needs_attention);
}

/// Returns a scrolled page of limited width around a box.
static inline GtkWidget *cadw_page_new(GtkWidget *box) {
    GtkWidget *clamp = adw_clamp_new();
    adw_clamp_set_child(ADW_CLAMP(clamp), box);
    GtkWidget *scrolled = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), clamp);
    gtk_widget_set_vexpand(scrolled, TRUE);
    return scrolled;
}

static inline GtkWidget *cadw_box_new(gboolean is_vertical, int spacing) {
    return gtk_box_new(is_vertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL, spacing);
}

static inline void cadw_set_margins(GtkWidget *widget, int margin) {
    gtk_widget_set_margin_top(widget, margin);
    gtk_widget_set_margin_bottom(widget, margin);
    gtk_widget_set_margin_start(widget, margin);
    gtk_widget_set_margin_end(widget, margin);
}

static inline void cadw_box_append(GtkWidget *box, GtkWidget *child) { gtk_box_append(GTK_BOX(box), child); }
static inline void cadw_box_remove(GtkWidget *box, GtkWidget *child) { gtk_box_remove(GTK_BOX(box), child); }

static inline void cadw_box_move(GtkWidget *box, GtkWidget *child, GtkWidget *after) {
    gtk_box_reorder_child_after(GTK_BOX(box), child, after);
}

// Labels, icons, buttons. The texts are never markup.

static inline GtkWidget *cadw_label_new(const char *style) {
    GtkWidget *label = gtk_label_new(NULL);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_justify(GTK_LABEL(label), GTK_JUSTIFY_CENTER);
    if (style != NULL) { gtk_widget_add_css_class(label, style); }
    return label;
}

/// Lets the text of a button take as many lines as it needs.
static inline void cadw_button_wrap(GtkWidget *button) {
    GtkWidget *label = gtk_button_get_child(GTK_BUTTON(button));
    if (!GTK_IS_LABEL(label)) { return; }
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_justify(GTK_LABEL(label), GTK_JUSTIFY_CENTER);
}

static inline void cadw_label_set_text(GtkWidget *label, const char *text) {
    gtk_label_set_text(GTK_LABEL(label), text);
}

/// Makes a label a place for the keyboard; GTK gives the focus to no label whose text cannot be selected.
static inline void cadw_label_set_focusable(GtkWidget *label) { gtk_label_set_selectable(GTK_LABEL(label), TRUE); }

/// Gives a label the focus without selecting its text, as gtk_widget_grab_focus() would.
static inline void cadw_label_focus(GtkWidget *label) {
    GtkRoot *root = gtk_widget_get_root(label);
    if (root != NULL) { gtk_root_set_focus(root, label); }
}

/// Shows an icon of the theme, or the image at an absolute path.
static inline void cadw_image_set(GtkWidget *image, const char *icon) {
    if (icon[0] == '/') {
        gtk_image_set_from_file(GTK_IMAGE(image), icon);
    } else {
        gtk_image_set_from_icon_name(GTK_IMAGE(image), icon);
    }
}

static inline void cadw_image_set_size(GtkWidget *image, int pixels) {
    gtk_image_set_pixel_size(GTK_IMAGE(image), pixels);
}

static inline gboolean cadw_has_icon(const char *name) {
    return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(gdk_display_get_default()), name);
}

static inline gboolean cadw_enable(gpointer data) {
    GtkWidget *widget = g_weak_ref_get((GWeakRef *)data);
    if (widget != NULL) {
        gtk_widget_set_sensitive(widget, TRUE);
        g_object_unref(widget);
    }
    return G_SOURCE_REMOVE;
}

static inline void cadw_free_weak_ref(gpointer data) {
    g_weak_ref_clear((GWeakRef *)data);
    g_free(data);
}

/// Makes a widget usable only after some time, if it still exists then.
static inline void cadw_enable_later(GtkWidget *widget, guint milliseconds) {
    gtk_widget_set_sensitive(widget, FALSE);
    GWeakRef *reference = g_new(GWeakRef, 1);
    g_weak_ref_init(reference, widget);
    g_timeout_add_full(G_PRIORITY_DEFAULT, milliseconds, cadw_enable, reference, cadw_free_weak_ref);
}

static inline void cadw_switch_set(GtkWidget *toggle, gboolean is_on) {
    gtk_switch_set_active(GTK_SWITCH(toggle), is_on);
}
static inline gboolean cadw_switch_get(GtkWidget *toggle) { return gtk_switch_get_active(GTK_SWITCH(toggle)); }
static inline void cadw_spinner_start(GtkWidget *spinner) { gtk_spinner_start(GTK_SPINNER(spinner)); }

/// Returns a check button whose label takes as many lines as it needs.
static inline GtkWidget *cadw_check_new(const char *text) {
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    GtkWidget *check = gtk_check_button_new();
    gtk_check_button_set_child(GTK_CHECK_BUTTON(check), label);
    gtk_accessible_update_property(GTK_ACCESSIBLE(check), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
    return check;
}

static inline gboolean cadw_check_get(GtkWidget *check) {
    return gtk_check_button_get_active(GTK_CHECK_BUTTON(check));
}

// What a screen reader says

static inline void cadw_set_accessible_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static inline void cadw_set_accessible_description(GtkWidget *widget, const char *description) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

/// Names the switchers of pages in a window, which libadwaita has without a name.
static inline void cadw_name_switchers(GtkWidget *widget, const char *label) {
    if (ADW_IS_VIEW_SWITCHER(widget)) { cadw_set_accessible_label(widget, label); }
    GtkWidget *child = gtk_widget_get_first_child(widget);
    for (; child != NULL; child = gtk_widget_get_next_sibling(child)) { cadw_name_switchers(child, label); }
}

// Groups of rows

/// Returns a group; its texts are set by cadw_group_set_text.
static inline GtkWidget *cadw_group_new(void) { return adw_preferences_group_new(); }

static inline void cadw_group_set_text(GtkWidget *group, const char *title, const char *description) {
    char *safe_title = g_markup_escape_text(title, -1);
    char *safe_description = g_markup_escape_text(description, -1);
    adw_preferences_group_set_title(ADW_PREFERENCES_GROUP(group), safe_title);
    adw_preferences_group_set_description(ADW_PREFERENCES_GROUP(group), safe_description);
    g_free(safe_title);
    g_free(safe_description);
}

static inline GtkWidget *cadw_group_add_list(GtkWidget *group) {
    GtkWidget *list = gtk_list_box_new();
    gtk_list_box_set_selection_mode(GTK_LIST_BOX(list), GTK_SELECTION_NONE);
    gtk_widget_add_css_class(list, "boxed-list");
    adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), list);
    return list;
}

static inline void cadw_list_insert(GtkWidget *list, GtkWidget *row, int position) {
    gtk_list_box_insert(GTK_LIST_BOX(list), row, position);
}

static inline void cadw_list_remove(GtkWidget *list, GtkWidget *row) { gtk_list_box_remove(GTK_LIST_BOX(list), row); }
static inline int cadw_row_index(GtkWidget *row) { return gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(row)); }

static inline GtkWidget *cadw_row_new(void) {
    GtkWidget *row = adw_action_row_new();
    adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
    return row;
}

static inline void cadw_row_set_text(GtkWidget *row, const char *title, const char *subtitle) {
    adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
    adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
}

static inline void cadw_row_add_prefix(GtkWidget *row, GtkWidget *child) {
    adw_action_row_add_prefix(ADW_ACTION_ROW(row), child);
}

static inline void cadw_row_add_suffix(GtkWidget *row, GtkWidget *child) {
    adw_action_row_add_suffix(ADW_ACTION_ROW(row), child);
}

static inline void cadw_row_remove(GtkWidget *row, GtkWidget *child) {
    adw_action_row_remove(ADW_ACTION_ROW(row), child);
}

/// The child keeps the name that it has: libadwaita would add the title of the row, which GTK appends to it.
static inline void cadw_row_set_activatable(GtkWidget *row, GtkWidget *child) {
    adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), child);
    if (child != NULL) {
        gtk_accessible_reset_relation(GTK_ACCESSIBLE(child), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
    }
}

static inline void cadw_row_set_shows_all(GtkWidget *row) {
    adw_action_row_set_title_lines(ADW_ACTION_ROW(row), 0);
    adw_action_row_set_subtitle_lines(ADW_ACTION_ROW(row), 0);
}

// Messages and questions

/// Names the buttons without a text in a widget, such as that which closes a toast; libadwaita does not.
static inline void cadw_name_icon_buttons(GtkWidget *widget, const char *label) {
    if (GTK_IS_BUTTON(widget) && gtk_button_get_label(GTK_BUTTON(widget)) == NULL) {
        cadw_set_accessible_label(widget, label);
    }
    GtkWidget *child = gtk_widget_get_first_child(widget);
    for (; child != NULL; child = gtk_widget_get_next_sibling(child)) { cadw_name_icon_buttons(child, label); }
}

/// Shows a text for some seconds in the place of the last one; `close` is the name of the button that ends that.
static inline void cadw_overlay_add_toast(GtkWidget *overlay, const char *text, const char *close) {
    static GWeakRef last;
    AdwToast *shown = g_weak_ref_get(&last);
    if (shown != NULL) {
        adw_toast_dismiss(shown);
        g_object_unref(shown);
    }
    char *safe = g_markup_escape_text(text, -1);
    AdwToast *toast = adw_toast_new(safe);
    g_free(safe);
    g_weak_ref_set(&last, toast);
    // Libadwaita's five seconds are few for who hears it from a screen reader, and wants to hear it again.
    adw_toast_set_timeout(toast, 12);
    // At once, so that it has its button now.
    adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH);
    adw_toast_overlay_add_toast(ADW_TOAST_OVERLAY(overlay), toast);
    GtkWidget *child = gtk_widget_get_first_child(overlay);
    for (; child != NULL; child = gtk_widget_get_next_sibling(child)) {
        if (child != adw_toast_overlay_get_child(ADW_TOAST_OVERLAY(overlay))) { cadw_name_icon_buttons(child, close); }
    }
#if GTK_CHECK_VERSION(4, 14, 0)
    gtk_accessible_announce(GTK_ACCESSIBLE(overlay), text, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
#endif
}

static inline GtkWidget *cadw_dialog_new(GtkWidget *parent, const char *heading, const char *body) {
    GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(parent), heading, body);
    gtk_window_set_modal(GTK_WINDOW(dialog), TRUE);
    return dialog;
}

/// Lets the buttons of a dialog be named once: GTK adds the text of a label with a mnemonic to the same name.
static inline void cadw_name_buttons_once(GtkWidget *widget) {
    if (GTK_IS_BUTTON(widget)) {
        gtk_accessible_reset_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
    }
    GtkWidget *child = gtk_widget_get_first_child(widget);
    for (; child != NULL; child = gtk_widget_get_next_sibling(child)) { cadw_name_buttons_once(child); }
}

/// Adds a response; `appearance` is 0 for none, 1 for a suggested and 2 for a destructive one.
static inline void cadw_dialog_add_response(GtkWidget *dialog, const char *id, const char *label, int appearance) {
    adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), id, label);
    adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), id, (AdwResponseAppearance)appearance);
}

static inline void cadw_dialog_set_close_response(GtkWidget *dialog, const char *id) {
    adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), id);
}

static inline void cadw_dialog_set_default_response(GtkWidget *dialog, const char *id) {
    adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), id);
}

static inline void cadw_dialog_set_extra(GtkWidget *dialog, GtkWidget *child) {
    adw_message_dialog_set_extra_child(ADW_MESSAGE_DIALOG(dialog), child);
}

static inline void cadw_entry_set_text(GtkWidget *entry, const char *text) {
    gtk_editable_set_text(GTK_EDITABLE(entry), text);
}

static inline const char *cadw_entry_get_text(GtkWidget *entry) { return gtk_editable_get_text(GTK_EDITABLE(entry)); }

static inline void cadw_entry_activates_default(GtkWidget *entry) {
    gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
}

static inline void cadw_show_about(GtkWidget *parent, const char *name, const char *icon, const char *version,
                                   const char *comments, const char *debug_info) {
    adw_show_about_window(GTK_WINDOW(parent), "application-name", name, "application-icon", icon, "version", version,
                          "comments", comments, "debug-info", debug_info, "license-type", GTK_LICENSE_APACHE_2_0,
                          "developer-name", "handoffd", NULL);
}

// Programs

/// What `cadw_run` calls at the end: the output and the exit status; a negative one if the program did not run.
typedef void (*cadw_run_end)(gpointer data, const char *output, int status);

struct cadw_run_state {
    cadw_run_end end;
    gpointer data;
};

static inline void cadw_run_ended(GObject *source, GAsyncResult *result, gpointer data) {
    struct cadw_run_state *state = data;
    char *output = NULL;
    gboolean has_run = g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, &output, NULL, NULL);
    GSubprocess *process = G_SUBPROCESS(source);
    int status = has_run && g_subprocess_get_if_exited(process) ? g_subprocess_get_exit_status(process) : -1;
    state->end(state->data, output == NULL ? "" : output, status);
    g_free(output);
    g_free(state);
    g_object_unref(source);
}

/// Runs a program without blocking, and calls `end` once on the main loop.
static inline void cadw_run(const char *const *arguments, cadw_run_end end, gpointer data) {
    GSubprocess *process =
        g_subprocess_newv(arguments, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL);
    if (process == NULL) {
        end(data, "", -1);
        return;
    }
    struct cadw_run_state *state = g_new(struct cadw_run_state, 1);
    state->end = end;
    state->data = data;
    g_subprocess_communicate_utf8_async(process, NULL, NULL, cadw_run_ended, state);
}

#endif
