eval plot_rates
