/** A, B, … Z, AA, AB, …: the name of an account on one page. */
export function accountLetter(index: number): string {
  const rest = Math.floor(index / 26) - 1
  return `${rest >= 0 ? accountLetter(rest) : ''}${String.fromCharCode(65 + (index % 26))}`
}

/** Colours of accounts; a later account has that of an earlier one, but not its letter. */
export const COLOURS = 8
