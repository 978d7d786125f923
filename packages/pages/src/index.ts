export * from './documents.tsx'
export type { AccountTab, AccountView, TabRows } from './explorer/account-view.ts'
export type { BlocksView, BlockView } from './explorer/block-page.tsx'
export type { Found } from './explorer/found-page.tsx'
export type { PagerView } from './explorer/parts.tsx'
export { joinNames, type Replies } from './explorer/replies.ts'
export { readSearch } from './explorer/search.ts'
export type { Flow, TraceView } from './explorer/trace-page.tsx'
export type { TransactionView } from './explorer/transaction-page.tsx'
export {
  ASSET_FILES,
  ASSET_FOLDER,
  type Assets,
  CONSOLE_HEADERS,
  type Frame,
  pageHeaders,
} from './frame/frame.ts'
export { OF_MASTERCHAIN, pathTo } from './frame/paths.ts'
export type { Description } from './reference/description.ts'
export { endpointOf } from './reference/reference-page.tsx'
export type { Range, Status } from './status/status.ts'
export { type StatusView, toStatusView } from './status/status-view.ts'
