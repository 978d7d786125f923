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
    toncenter: { value: 'blocks', description: '`{blocks}`' },
  },
  unknownParameter: {
    decision: 'D5',
    subject: 'unknown query parameter',
    standard: { value: 'reject', description: '422 with its name and the closest known one' },
    toncenter: { value: 'ignore', description: 'ignored, and listed in the header `X-Ignored-Parameters`' },
  },
  unknownActionType: {
    decision: 'D11',
    subject: 'unknown `action_type` or `exclude_action_type`',
    standard: { value: 'reject', description: '422 with the closest known one' },
    toncenter: { value: 'no_match', description: 'matches nothing' },
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
