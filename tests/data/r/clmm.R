# Writes clmm.json: Rscript clmm.R, in this folder.
suppressMessages({library(ordinal); library(jsonlite)})
source("made_tables.R")
usual <- value ~ system + (1 | rater) + (1 | item)
full <- update(usual, ~ . + (1 | rs) + (1 | is))
figures <- function(formula, d, link = "logit") {
  d$value <- factor(d$value, ordered = TRUE)
  fit <- clmm(formula, d, link = link, control = clmm.control(gradTol = 1e-6))
  errors <- sqrt(diag(vcov(fit)))
  k <- length(fit$alpha); b <- length(fit$beta)
  list(judgements = nrow(d), log_likelihood = as.numeric(logLik(fit)),
       thresholds = unname(fit$alpha), systems = unname(fit$beta),
       threshold_errors = unname(errors[1:k]), errors = unname(errors[k + 1:b]),
       sd = lapply(VarCorr(fit), function(v) as.numeric(attr(v, "stddev"))))
}
cases <- list(
  balanced = list(usual, made_table(8, 15, 3, 1, 21, c(1, 1, 0, 0), c(-2, -.5, .5, 2))),
  unbalanced = list(full, made_table(9, 30, 5, .4, 22, c(1, .8, .6, .6), c(-1.5, 0, .8, 2.5))),
  large = list(usual, made_table(24, 60, 5, 1, 23, c(1, .7, 0, 0), c(-2, -1, 0, 1, 2, 3)))
)
all <- lapply(cases, function(case) figures(case[[1]], case[[2]]))
probit <- lapply(cases, function(case) figures(case[[1]], case[[2]], "probit"))
names(probit) <- paste0("probit ", names(cases))
write_json(c(list(source = paste0("ordinal ", packageVersion("ordinal"), " under R ", getRversion(),
  ": r/clmm.R; computed for these tests, not published")),
  all, probit),
  "../clmm.json", auto_unbox = TRUE, digits = 10, pretty = 1)
