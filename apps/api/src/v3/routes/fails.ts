/** Statuses of endpoints that read the index, for the OpenAPI document. */
export const OUT_OF_SERVICE = {
  500: 'The query took too long, or something is broken.',
  503: 'The database is not available, or has not enough memory or disk space.',
}
export const BAD_QUERY = { 422: 'A parameter is unknown or has a wrong value.' }
export const NO_MC_BLOCK = { 404: 'The masterchain block is not indexed.' }

/** Statuses other than 200 of every list with required parameters. */
export const FAILS = {
  422: 'A parameter is unknown or has a wrong value, or a required one is missing.',
  ...OUT_OF_SERVICE,
}
