"""Reports: every criterion analysed, in tables, sentences, figures, LaTeX and a bundle."""
