/** The most connections that a process holds to PostgreSQL if nothing is said. */
export const CONNECTIONS = 10;
