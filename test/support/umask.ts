/**
 * The usual umask at the start of each file: a composed server takes 077 for its whole process, and
 * files that share one would keep PostgreSQL's own user from what they write.
 */
process.umask(0o022);
