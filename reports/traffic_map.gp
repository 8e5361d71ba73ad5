eval plot_traffic
