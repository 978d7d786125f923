/**
 * A domain as contracts read it: labels from the top, each ended by a zero byte (`a.ton` is `ton\0a\0`); the
 * empty name, and `.`, are one zero byte. Undefined when a label is empty. Source: TEP-81.
 */
export function encodeDnsName(name: string): Buffer | undefined {
  if (name === '' || name === '.') return Buffer.from([0])
  // A dot at the end stands for the root.
  const labels = name.replace(/\.$/, '').split('.')
  return labels.includes('') ? undefined : Buffer.from(`${labels.reverse().join('\0')}\0`)
}

/** The inverse, with the dot at the end: `a.ton.`. */
export const decodeDnsName = (bytes: Buffer): string =>
  `${bytes.toString('utf8').split('\0').filter(Boolean).reverse().join('.')}.`
