/** What every list may answer but 200. */
export const FAILS = {
  422: 'A parameter is unknown or has a wrong value, or a required one is missing.',
  500: 'The query took too long, or something is broken.',
  503: 'The database is not available.',
}
