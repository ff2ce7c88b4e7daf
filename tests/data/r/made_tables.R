# Tables that tests/analysis/made_tables.py makes too, number by number.
made_table <- function(raters, items, systems, kept, seed, sd = c(1, 1, 0, 0), cuts = NULL) {
  state <- seed
  uniform <- function() { state <<- (16807 * state) %% 2147483647; state / 2147483647 }
  normal <- function() { total <- -6; for (k in 1:12) total <- total + uniform(); total }
  normals <- function(count, spread) vapply(seq_len(count), function(k) spread * normal(), 0)
  r <- normals(raters, sd[1]); i <- normals(items, sd[2])
  rs <- normals(raters * systems, sd[3]); is <- normals(items * systems, sd[4])
  rows <- list()
  for (a in 0:(raters - 1)) for (b in 0:(items - 1)) for (s in 0:(systems - 1)) {
    keep <- uniform() < kept
    noise <- normal()
    if (keep) rows[[length(rows) + 1]] <- c(a, b, s, 0.3 * s + r[a + 1] + i[b + 1] +
      rs[a * systems + s + 1] + is[b * systems + s + 1] + noise)
  }
  d <- as.data.frame(do.call(rbind, rows))
  names(d) <- c("rater", "item", "system", "value")
  if (!is.null(cuts)) d$value <- vapply(d$value, function(v) 1 + sum(v > cuts), 0)
  for (name in c("rater", "item", "system")) d[[name]] <- factor(d[[name]])
  d$rs <- interaction(d$rater, d$system); d$is <- interaction(d$item, d$system)
  d
}
