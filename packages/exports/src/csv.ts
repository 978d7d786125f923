/**
 * A field of CSV (RFC 4180). Null: nothing between the commas; an empty text: `""`, so that the two differ.
 */
export function csvField(text: string | null): string {
  if (text === null) return ''
  return text === '' || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of CSV with its end. */
export const csvLine = (fields: readonly (string | null)[]): string => `${fields.map(csvField).join(',')}\n`

/** What spreadsheets take for the beginning of a formula. Source: OWASP, CSV injection. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * Text that a spreadsheet does not take for a formula: it begins with an apostrophe, which spreadsheets do
 * not show. Numbers, raw addresses and hashes in base64, which may begin with a sign, stay as they are.
 */
export const withoutFormula = (text: string): string =>
  FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text

const HARMLESS = /^(-\d+(\.\d+)?|-?\d+:[0-9A-Fa-f]{64}|[0-9A-Za-z+/]{43}=)$/
