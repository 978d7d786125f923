/**
 * What exit codes of the TVM and result codes of the action phase mean. Source: TON documentation, "Exit
 * codes".
 */
const WORDS: Readonly<Record<number, string>> = {
  0: 'success',
  1: 'success, alternative',
  2: 'stack underflow',
  3: 'stack overflow',
  4: 'integer overflow',
  5: 'integer out of range',
  6: 'invalid opcode',
  7: 'type check error',
  8: 'cell overflow',
  9: 'cell underflow',
  10: 'dictionary error',
  11: 'unknown error',
  12: 'fatal error',
  13: 'out of gas',
  14: 'out of gas',
  32: 'invalid list of actions',
  33: 'too many actions',
  34: 'invalid or unsupported action',
  35: 'invalid source address',
  36: 'invalid destination address',
  37: 'not enough TON',
  38: 'not enough extra currency',
  39: 'message does not fit into a cell',
  40: 'cannot process a message',
  41: 'library reference is null',
  42: 'library change error',
  43: 'library limits exceeded',
  50: 'account state too large',
}

/** Undefined: the contract gives the code its meaning. */
export const exitCodeInWords = (code: number): string | undefined => WORDS[code < 0 ? ~code : code]
