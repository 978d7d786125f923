/**
 * Encodes a domain for `dnsresolve`: labels from the top, each ended by a zero byte (`a.ton` becomes
 * `ton\0a\0`); the empty name and `.` become one zero byte. Undefined when a label is empty. Source: TEP-81.
 */
export function encodeDnsName(name: string): Buffer | undefined {
  if (name === '' || name === '.') return Buffer.from([0])
  // A trailing dot denotes the root.
  const labels = name.replace(/\.$/, '').split('.')
  return labels.includes('') ? undefined : Buffer.from(`${labels.reverse().join('\0')}\0`)
}

/** The inverse of encoding; ends with a dot: `a.ton.`. */
export const decodeDnsName = (bytes: Buffer): string =>
  `${bytes.toString('utf8').split('\0').filter(Boolean).reverse().join('.')}.`
