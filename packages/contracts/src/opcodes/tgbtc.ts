import { opcode } from './declared.ts'

/**
 * tgBTC: bitcoin by teleport. Source of events: RSquad/tgBTC, logs of the contracts; the others were read
 * from mainnet messages.
 */
export const TGBTC = {
  mintEvent: opcode('tgbtc_mint_event'),
  burnEvent: opcode('tgbtc_burn_event'),
  newKeyEvent: opcode('tgbtc_new_key_event'),
  dkgCompletedEvent: opcode('tgbtc_dkg_completed_event'),
  mintOrder: 0xe42a879b,
  teleport: 0x3f781d24,
  burnToTeleport: 0x587643a2,
  newKey: 0x690f357a,
  deployPegout: 0xbe44e7a6,
  pegoutAnswer: 0x1a84c0e0,
} as const
