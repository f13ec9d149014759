// Preloaded into the window by Tests/Window/drawings: at SIGUSR1 it draws the window into a file of SVG, as paths.
//
// HANDOFF_DRAWING names the file. Icons, which GTK draws as pixels, are left out; a line on standard output has the
// place, the colour and the name of each, and the line "drawn" is the last one.
#include <cairo-svg.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>

// Shadows would be pixels as well; a line stands for that around a list.
static const char style[] =
    "image { opacity: 0; } * { box-shadow: none; } list.boxed-list { border: 1px solid alpha(currentColor, 0.12); }";

static void print_icons(GtkWidget *widget, GtkWidget *content) {
    if (GTK_IS_IMAGE(widget) && gtk_widget_get_mapped(widget)) {
        const char *name = gtk_image_get_icon_name(GTK_IMAGE(widget));
        graphene_rect_t place;
        GdkRGBA color;
        gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
        if (name != NULL && gtk_widget_compute_bounds(widget, content, &place)) {
            printf("icon %g %g %g %g #%02x%02x%02x %g %s\n", place.origin.x, place.origin.y, place.size.width,
                   place.size.height, (int)(color.red * 255 + 0.5), (int)(color.green * 255 + 0.5),
                   (int)(color.blue * 255 + 0.5), color.alpha, name);
        }
    }
    GtkWidget *child = gtk_widget_get_first_child(widget);
    for (; child != NULL; child = gtk_widget_get_next_sibling(child)) { print_icons(child, content); }
}

// Without the frame that the window has where nothing composes windows, which would be around it.
static gboolean draw(gpointer data) {
    GListModel *windows = gtk_window_get_toplevels();
    GtkWidget *window = g_list_model_get_item(windows, 0);
    GtkWidget *content = gtk_widget_get_first_child(window);
    GdkPaintable *paintable = gtk_widget_paintable_new(content);
    int width = gtk_widget_get_width(content), height = gtk_widget_get_height(content);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    GdkRGBA background;
    if (gtk_style_context_lookup_color(gtk_widget_get_style_context(window), "window_bg_color", &background)) {
        gtk_snapshot_append_color(snapshot, &background, &GRAPHENE_RECT_INIT(0, 0, width, height));
    }
    gdk_paintable_snapshot(paintable, snapshot, width, height);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    cairo_surface_t *surface = cairo_svg_surface_create(data, width, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_t *context = cairo_create(surface);
    gsk_render_node_draw(node, context);
    cairo_destroy(context);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    gsk_render_node_unref(node);
    g_object_unref(paintable);
    print_icons(content, content);
    g_object_unref(window);
    puts("drawn");
    fflush(stdout);
    return G_SOURCE_CONTINUE;
}

// There is a display as soon as the main loop runs.
static gboolean prepare(gpointer data) {
    GdkDisplay *display = gdk_display_get_default();
    if (display == NULL) { return G_SOURCE_CONTINUE; }
    GtkCssProvider *provider = gtk_css_provider_new();
    gtk_css_provider_load_from_data(provider, style, -1);
    gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_USER);
    g_object_unref(provider);
    return G_SOURCE_REMOVE;
}

__attribute__((constructor)) static void begin(void) {
    char *file = getenv("HANDOFF_DRAWING");
    if (file == NULL) { return; }
    // Not for the programs that this one starts.
    unsetenv("LD_PRELOAD");
    g_idle_add(prepare, NULL);
    g_unix_signal_add(SIGUSR1, draw, file);
}
