/**
 * `global_id` of the testnet, whose addresses carry the test flag (TEP-2). Source: block.tlb
 * `block#11ef55aa`, configuration parameter 19.
 */
export const TESTNET_GLOBAL_ID = -3
