import type { Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import type { AccountSnapshot } from '@shardwalk/node-access'

/** What `getWalletInformation` adds for a wallet that it knows. */
export interface WalletFields {
  readonly wallet_type: string
  readonly seqno: number
  readonly wallet_id?: number
  readonly is_signature_allowed?: boolean
}

type Numbers = Omit<WalletFields, 'wallet_type'>

// Why signed: the current service reads them so, and clients compare. Source: API v2 specification 4.3.
const readSeqno = (data: Slice): Numbers => ({ seqno: data.loadInt(32) })
const readSeqnoAndId = (data: Slice): Numbers => ({ ...readSeqno(data), wallet_id: data.loadInt(32) })
/** Also for v5 beta, whose layout differs: what clients see is the network's global id as `wallet_id`. */
const readV5 = (data: Slice): Numbers => {
  const isSignatureAllowed = data.loadBit()
  return { ...readSeqnoAndId(data), is_signature_allowed: isSignatureAllowed }
}

/** Code hash (base64) to version and layout. Source: API v2 specification 4.3. */
const WALLETS = new Map<string, readonly [string, (data: Slice) => Numbers]>([
  ['oM/CxIruFqJx8s/AtzgtgXVs7LEBfQd/qqs7tgL2how=', ['wallet v1 r1', readSeqno]],
  ['1JAvzJ+tdGmPqONTIgpo2g3PcuMryy657gQhfBfTBiw=', ['wallet v1 r2', readSeqno]],
  ['WHzHie/xyE9G7DeX5F/ICaFP9a4k8eDHpqmcydyQYf8=', ['wallet v1 r3', readSeqno]],
  ['XJpeaMEI4YchoHxC+ZVr+zmtd+xtYktgxXbsiO7mUyk=', ['wallet v2 r1', readSeqno]],
  ['/pUw0yQ4Uwg+8u8LTCkIwKv2+hwx6iQ6rKpb+MfXU/E=', ['wallet v2 r2', readSeqno]],
  ['thBBpYp5gLlG6PueGY48kE0keZ/6NldOpCUcQaVm9YE=', ['wallet v3 r1', readSeqnoAndId]],
  ['hNr6RJ+Ypph3ibojI1gHK8D3bcRSQAKl0JGLmnXS1Zk=', ['wallet v3 r2', readSeqnoAndId]],
  ['ZN1UgFUixb6KnbWc6gEFzPDQh4bKeb64y3nogKjXMi0=', ['wallet v4 r1', readSeqnoAndId]],
  ['/rX/aCDi/w2Ug+fg1iyBfYRniftK5YDIeIZtlZ2r1cA=', ['wallet v4 r2', readSeqnoAndId]],
  ['89fKU0k97trCizgZhqhJQDy6w9LFhHea8IEGWvCsS5M=', ['wallet v5 beta', readV5]],
  ['IINLe3KxEhR+Gy+0V7hOdNGjDwT3N9T2KmaOlVLSty8=', ['wallet v5 r1', readV5]],
])

/** Undefined: not a wallet, or one whose data cannot be read. */
export function walletFields({ code, data }: AccountSnapshot): WalletFields | undefined {
  const known = code && WALLETS.get(code.hash().toString('base64'))
  if (!known || !data) return undefined
  const [walletType, read] = known
  try {
    return { wallet_type: walletType, ...read(data.slice()) }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
