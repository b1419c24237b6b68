# Evidence Studio from R: one file. Needs the packages curl and jsonlite.
#
#   source("evidence_studio.R")
#   studio <- evidence_studio("http://127.0.0.1:4178", Sys.getenv("KEY"))
#   x <- evidence_matrix(studio, "case-1", "general_claim_evidence")
#   quantbayes::quant_es_core(x)
#
# An outcome is "TRUE" (problem found), "FALSE" (evidence present), "NA" (not available), or NA_character_
# where nothing is recorded. A result states evidence sufficiency under one profile, never truth.

evidence_studio <- function(url, key) {
  list(base = paste0(sub("/+$", "", url), "/api/v1/"), key = key)
}

# One call; a refusal stops with its stable code and the places that it names.
evidence_call <- function(studio, method, path, body = NULL, tries = 5) {
  handle <- curl::new_handle(customrequest = method)
  headers <- list(Authorization = paste("Bearer", studio$key), Accept = "application/json")
  if (!is.null(body)) {
    json <- if (is.character(body)) body else jsonlite::toJSON(body, auto_unbox = TRUE, null = "null")
    curl::handle_setopt(handle, copypostfields = enc2utf8(as.character(json)))
    headers[["Content-Type"]] <- "application/json"
  }
  do.call(curl::handle_setheaders, c(list(handle), headers))
  answer <- curl::curl_fetch_memory(paste0(studio$base, path), handle)
  read <- jsonlite::fromJSON(rawToChar(answer$content), simplifyVector = FALSE)
  if (answer$status_code < 300) return(read)
  if (answer$status_code %in% c(429, 503) && tries > 1) {
    waits <- as.numeric(curl::parse_headers_list(answer$headers)[["retry-after"]])
    Sys.sleep(if (length(waits) == 1) min(30, waits) else 1)
    return(evidence_call(studio, method, path, body, tries - 1))
  }
  places <- vapply(read$details, function(d) paste0(" ", d$path, ": ", d$message), "")
  stop(read$error, ": ", read$message, places, call. = FALSE)
}

# Every entry of a list, page by page; evidence has them in `items`.
evidence_pages <- function(studio, path, query = list(), member = "data") {
  entries <- list()
  repeat {
    text <- paste0(names(query), "=", vapply(as.character(query), curl::curl_escape, ""))
    page <- evidence_call(studio, "GET", if (length(query)) paste0(path, "?", paste(text, collapse = "&")) else path)
    entries <- c(entries, page[[member]])
    if (is.null(page$next_cursor)) return(entries)
    query$cursor <- page$next_cursor
  }
}

# The recorded outcomes of a case: a character matrix, a row an item, a column a rule of the profile.
evidence_outcomes <- function(studio, case_uid, profile_uid) {
  profile <- evidence_call(studio, "GET", paste0("profiles/", profile_uid))
  rules <- vapply(profile$rules, function(rule) rule$ruleUid, "")
  items <- evidence_pages(
    studio, paste0("cases/", curl::curl_escape(case_uid), "/evidence"),
    list(profile_uid = profile_uid, limit = 200), "items"
  )
  outcomes <- matrix(
    NA_character_, length(items), length(rules),
    dimnames = list(vapply(items, function(item) item$item_uid, ""), rules)
  )
  for (row in seq_along(items))
    for (cell in items[[row]]$evidence)
      if (!is.null(cell$raw_outcome)) outcomes[row, cell$rule_uid] <- cell$raw_outcome
  outcomes
}

# The matrix of SGA-QEM-1.0, as quantbayes takes it: 1 for evidence present, 0 for everything else.
evidence_matrix <- function(studio, case_uid, profile_uid) {
  outcomes <- evidence_outcomes(studio, case_uid, profile_uid)
  binary <- (!is.na(outcomes) & outcomes == "FALSE") * 1L
  dimnames(binary) <- dimnames(outcomes)
  binary
}
