export { isFalseData, isUnknownForm, NoPeerAnswered } from './errors.ts'
export { type Archive, FullNodeClient, type ShardPrefix } from './full-node-client.ts'
export { FullNodeNetwork, type FullNodeNetworkOptions } from './full-node-network.ts'
export type { JoinedOverlay } from './joined-overlay.ts'
export {
  type ClaimedIdentity,
  claimNodeKey,
  type NodeIdentity,
  NodeKeyDamaged,
} from './node-key.ts'
export { OverlayNode, type OverlayNodeOptions } from './overlay-node.ts'
export { type BookedPeer, type PeerBook, PeerBookFile } from './peer-book.ts'
export type { PeerReport } from './peer-report.ts'
