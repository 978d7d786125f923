export { errorDocument, statusDocument } from './documents.tsx'
export type { ErrorView } from './frame/error-page.tsx'
export {
  ASSET_FILES,
  ASSET_FOLDER,
  type Assets,
  CONSOLE_HEADERS,
  type Frame,
  pageHeaders,
} from './frame/frame.ts'
export type { Range, Status } from './status/status.ts'
export { type StatusView, toStatusView } from './status/status-view.ts'
