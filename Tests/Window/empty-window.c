// An empty window of libadwaita: what the window of Handoff is compared with (Tests/Window/bench).
#include <adwaita.h>

static void activate(GtkApplication *application) {
    GtkWidget *window = adw_application_window_new(application);
    gtk_window_set_title(GTK_WINDOW(window), "Handoff");
    gtk_window_set_default_size(GTK_WINDOW(window), 480, 640);
    adw_application_window_set_content(ADW_APPLICATION_WINDOW(window), adw_header_bar_new());
    gtk_window_present(GTK_WINDOW(window));
}

int main(int argc, char **argv) {
    AdwApplication *application = adw_application_new("org.handoffd.EmptyWindow", G_APPLICATION_DEFAULT_FLAGS);
    g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
    return g_application_run(G_APPLICATION(application), argc, argv);
}
