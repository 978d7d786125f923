/**
 * Every difference between the two wire profiles. Code asks `profileRules(profile).<key>` and must not
 * otherwise branch on the profile. Reasons: docs/compatibility.md.
 */
export const PROFILE_DIFFERENCES = {
  opcode: {
    decision: 'D1',
    subject: '`opcode` of a message',
    standard: { value: 'integer', description: 'JSON integer, unsigned, 0 to 4294967295' },
    toncenter: { value: 'hex', description: 'string, `0x` and 8 lower-case hex digits' },
  },
  shardState: {
    decision: 'D2',
    subject: 'reply of `/masterchainBlockShardState`',
    standard: {
      value: 'with_transactions',
      description: '`{address_book, transactions, blocks}`: includes the transactions of those blocks',
    },
    toncenter: { value: 'blocks', description: '`{blocks}`, all of them, without `limit` and `offset`' },
  },
  unknownParameter: {
    decision: 'D5',
    subject: 'unknown query parameter',
    standard: { value: 'reject', description: '422 with its name and the closest known one' },
    toncenter: {
      value: 'ignore',
      description:
        'ignored, and listed in the header `X-Ignored-Parameters`; known ones match in any letter case',
    },
  },
  defaultLimit: {
    decision: 'D7',
    subject: 'default `limit` if `DEFAULT_LIMIT` is not set',
    standard: { value: 10, description: '10' },
    toncenter: { value: 100, description: '100' },
  },
  unknownActionType: {
    decision: 'D11',
    subject: 'unknown `action_type` or `exclude_action_type`',
    standard: { value: 'reject', description: '422 with the closest known one' },
    toncenter: { value: 'no_match', description: 'matches nothing' },
  },
  badValues: {
    decision: 'D12',
    subject: 'values out of range, and empty numbers and booleans',
    standard: { value: 'reject', description: '422' },
    toncenter: {
      value: 'replace',
      description:
        '`limit` below 1: 1; `offset` below 0: 0; time below 0 or beyond 32 bits: the end of time; ' +
        'empty: 0, false; invalid `seqno` of block endpoints: 0; invalid `direction`, legacy `hash`: ' +
        'absent',
    },
  },
  emptyValues: {
    decision: 'D13',
    subject: 'empty values of lists (`owner_address=`)',
    standard: { value: 'reject', description: '422' },
    toncenter: { value: 'drop', description: 'ignored; `account=` of `/transactions` matches nothing' },
  },
  longLists: {
    decision: 'D14',
    subject: 'lists of more values than documented',
    standard: { value: 'reject', description: '422' },
    toncenter: { value: 'accept', description: 'accepted, except by `/nft/sales` and `/decode`' },
  },
  blockFilter: {
    decision: 'D15',
    subject: '`shard` without `workchain`, `seqno` without both',
    standard: { value: 'reject', description: '422' },
    toncenter: { value: 'apply', description: 'selects the blocks of any workchain and shard' },
  },
  rowOrder: {
    decision: 'D16',
    subject: 'order of jetton masters, wallets, NFT collections, items, vesting contracts and multisigs',
    standard: {
      value: 'account',
      description: 'by address; multisigs and orders by `last_transaction_lt`',
    },
    toncenter: { value: 'insertion', description: 'in which rows were first written: new ones at the end' },
  },
} as const

/** Wire formats: ours, and that of TON Center. `PROFILE_DIFFERENCES` lists where they differ. */
export const PROFILES = ['standard', 'toncenter'] as const
export type Profile = (typeof PROFILES)[number]

type Differences = typeof PROFILE_DIFFERENCES
/** One value for each difference between the profiles. */
export type ProfileRules = {
  readonly [K in keyof Differences]:
    | Differences[K]['standard']['value']
    | Differences[K]['toncenter']['value']
}

const RULES = Object.fromEntries(
  PROFILES.map((profile) => [profile, rulesOf(profile)]),
) as unknown as Readonly<Record<Profile, ProfileRules>>

/** The rules of a profile; the same object on each call. */
export const profileRules = (profile: Profile): ProfileRules => RULES[profile]

function rulesOf(profile: Profile): object {
  return Object.fromEntries(
    Object.entries(PROFILE_DIFFERENCES).map(([key, row]) => [key, row[profile].value]),
  )
}

/** Made once for each rules: equal schemas are one, whose description is made once, too. */
export function oncePerRules<T>(make: (rules: ProfileRules) => T): (rules: ProfileRules) => T {
  const made = new WeakMap<ProfileRules, { readonly value: T }>()
  return (rules) => {
    const known = made.get(rules) ?? { value: make(rules) }
    made.set(rules, known)
    return known.value
  }
}
