/**
 * `global_id` of the testnet, whose addresses carry the test flag (TEP-2). Source: block.tlb
 * `block#11ef55aa`, configuration parameter 19.
 */
export const TESTNET_GLOBAL_ID = -3

/**
 * Root hash of the zerostate, base64. Unlike `global_id`, which private networks copy, it tells a network
 * from all others. Source: `validator.zero_state` of the global configs at ton.org.
 */
export const ZEROSTATE_ROOT_HASH = {
  mainnet: 'F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=',
  testnet: 'gj+B8wb/AmlPk1z1AhVI484rhrUpgSr2oSFIh56VoSg=',
} as const
