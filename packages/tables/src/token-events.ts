import { jettonBurns, jettonTransfers } from './jettons.ts'
import { nftTransfers } from './nfts.ts'

/** Tables whose rows stand for one transaction each that a token message started; key (account_id, lt). */
export const TOKEN_EVENT_TABLES = [jettonTransfers.name, jettonBurns.name, nftTransfers.name] as const
