"""What the programs beside this package share, and what each of them is made of."""
