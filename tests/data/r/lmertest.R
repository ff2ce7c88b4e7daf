# Writes lmertest.json: Rscript lmertest.R, in this folder.
suppressMessages({library(lmerTest); library(jsonlite)})
source("made_tables.R")
exact <- lmerControl(optimizer = "nloptwrap", optCtrl = list(xtol_rel = 1e-12, xtol_abs = 1e-12,
                     ftol_abs = 0, ftol_rel = 0), calc.derivs = FALSE,
                     check.conv.singular = "ignore")
usual <- value ~ 0 + system + (1 | rater) + (1 | item)
full <- update(usual, ~ . + (1 | rs) + (1 | is))
figures <- function(formula, d) {
  fit <- suppressMessages(lmer(formula, d, control = exact))
  k <- nlevels(d$system)
  of <- function(weights) suppressMessages(contest1D(fit, weights)[["df"]])
  pairs <- list()
  for (a in 1:k) for (b in 1:k) if (a < b) {
    weights <- rep(0, k); weights[a] <- 1; weights[b] <- -1
    pairs[[paste(a - 1, b - 1)]] <- of(weights)
  }
  equal <- suppressMessages(contestMD(fit, cbind(diag(k - 1), -1)))
  list(judgements = nrow(d), reml_deviance = REMLcrit(fit),
       means = as.list(setNames(sapply(1:k, function(a) of(as.numeric(1:k == a))), 0:(k - 1))),
       pairs = pairs, F = equal[["F value"]], df_residual = equal[["DenDF"]])
}
cases <- list(
  balanced = list(full, made_table(5, 8, 3, 1, 11, c(1, 1, .5, .5))),
  unbalanced = list(full, made_table(9, 30, 5, .25, 12, c(1, 1, .5, .5))),
  usual = list(usual, made_table(9, 30, 5, .25, 12, c(1, 1, .5, .5))),
  singular = list(full, made_table(6, 5, 3, .8, 13, c(0, 1, 0, 0))),
  three = list(full, made_table(3, 3, 4, 1, 14, c(1, .5, .5, .5))),
  few_items = list(full, made_table(12, 3, 5, .9, 15, c(1, .5, .3, .5)))
)
write_json(c(list(source = paste0("lmerTest ", packageVersion("lmerTest"), ", lme4 ",
  packageVersion("lme4"), " under R ", getRversion(),
  ": r/lmertest.R; computed for these tests, not published")),
  lapply(cases, function(case) figures(case[[1]], case[[2]]))),
  "../lmertest.json", auto_unbox = TRUE, digits = 10, pretty = 1)
