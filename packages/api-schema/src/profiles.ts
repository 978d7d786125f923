/**
 * Every difference between the two wire profiles, one line each. Code asks `profileRules(profile).<key>`; nothing else may
 * branch on the profile. docs/compatibility.md explains the reasons.
 */
export const PROFILE_DIFFERENCES = {
  opcode: {
    decision: 'D1',
    subject: '`opcode` of a message',
    standard: { value: 'integer', says: 'JSON integer, unsigned, 0 to 4294967295' },
    toncenter: { value: 'hex', says: 'string, `0x` and 8 lower-case hex digits' },
  },
  shardState: {
    decision: 'D2',
    subject: 'reply of `/masterchainBlockShardState`',
    standard: {
      value: 'with_transactions',
      says: '`{address_book, transactions, blocks}`: the transactions of those blocks, too',
    },
    toncenter: { value: 'blocks', says: '`{blocks}`' },
  },
  unknownParameter: {
    decision: 'D5',
    subject: 'unknown query parameter',
    standard: { value: 'reject', says: '422 that names it and the closest known one' },
    toncenter: { value: 'ignore', says: 'ignored, and named in the header `X-Ignored-Parameters`' },
  },
} as const

export const PROFILES = ['standard', 'toncenter'] as const
export type Profile = (typeof PROFILES)[number]

type Differences = typeof PROFILE_DIFFERENCES
export type ProfileRules = {
  readonly [K in keyof Differences]:
    | Differences[K]['standard']['value']
    | Differences[K]['toncenter']['value']
}

export function profileRules(profile: Profile): ProfileRules {
  return Object.fromEntries(
    Object.entries(PROFILE_DIFFERENCES).map(([key, row]) => [key, row[profile].value]),
  ) as unknown as ProfileRules
}
