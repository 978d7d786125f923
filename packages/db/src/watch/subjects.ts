import { formatRawAddress, type RawAddress } from '@shardwalk/model'

/** What to index: an account, every account with a code, or a jetton. */
export type WatchSubject =
  | { readonly kind: 'address' | 'jetton'; readonly address: RawAddress }
  | { readonly kind: 'code'; readonly hash: Buffer }

/** Stands in place of a subject when everything is indexed. */
export const EVERYTHING = 'everything'

/** Key of the subject: the item of the setting with its address in raw form. */
export function subjectText(subject: WatchSubject): string {
  if (subject.kind === 'code') return `code:${subject.hash.toString('hex')}`
  const address = formatRawAddress(subject.address)
  return subject.kind === 'jetton' ? `jetton:${address}` : address
}
