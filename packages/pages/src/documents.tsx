import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { AccountPage } from './explorer/account-page.tsx'
import type { AccountView } from './explorer/account-view.ts'
import { BlockPage, BlocksPage, type BlocksView, type BlockView } from './explorer/block-page.tsx'
import { type Found, FoundPage } from './explorer/found-page.tsx'
import { TracePage, type TraceView } from './explorer/trace-page.tsx'
import { TransactionPage, type TransactionView } from './explorer/transaction-page.tsx'
import { ErrorPage, type ErrorView } from './frame/error-page.tsx'
import type { Frame } from './frame/frame.ts'
import { relativeTo } from './frame/relative.ts'
import { type ConsoleFiles, ConsolePage } from './reference/console-page.tsx'
import type { Description, Endpoint } from './reference/description.ts'
import { EndpointPage } from './reference/endpoint-page.tsx'
import { EventsPage, type EventsView } from './reference/events-page.tsx'
import { ReferencePage } from './reference/reference-page.tsx'
import { StatusPage } from './status/status-page.tsx'
import type { StatusView } from './status/status-view.ts'

/** Every page as the text of an HTML document. */

const document = ({ root }: Frame, page: VNode): string =>
  `<!doctype html>${relativeTo(root, renderToString(page))}`

/** Page `/`: whether the service keeps up, and what is indexed. */
export const statusDocument = (frame: Frame, view: StatusView): string =>
  document(frame, <StatusPage frame={frame} view={view} />)

/** Page of a refused or failed request. */
export const errorDocument = (frame: Frame, error: ErrorView): string =>
  document(frame, <ErrorPage frame={frame} error={error} />)

/** Page of an account, with the rows of one tab. */
export const accountDocument = (frame: Frame, view: AccountView): string =>
  document(frame, <AccountPage frame={frame} view={view} />)

/** Page of a transaction. */
export const transactionDocument = (frame: Frame, view: TransactionView): string =>
  document(frame, <TransactionPage frame={frame} view={view} />)

/** Page of a trace: figure, flow and actions. */
export const traceDocument = (frame: Frame, view: TraceView): string =>
  document(frame, <TracePage frame={frame} view={view} />)

/** Page of a block. */
export const blockDocument = (frame: Frame, view: BlockView): string =>
  document(frame, <BlockPage frame={frame} view={view} />)

/** Page of the list of blocks. */
export const blocksDocument = (frame: Frame, view: BlocksView): string =>
  document(frame, <BlocksPage frame={frame} view={view} />)

/** Page of a search with several results. */
export const foundDocument = (frame: Frame, found: readonly Found[]): string =>
  document(frame, <FoundPage frame={frame} found={found} />)

/** Page on which requests are tried out (Swagger UI). */
export const consoleDocument = (frame: Frame, files: ConsoleFiles): string =>
  document(frame, <ConsolePage frame={frame} files={files} />)

/** Page that lists all endpoints. */
export const referenceDocument = (frame: Frame, descriptions: readonly Description[]): string =>
  document(frame, <ReferencePage frame={frame} descriptions={descriptions} />)

/** Page that shows events of the streaming API as they come. */
export const eventsDocument = (frame: Frame, view: EventsView): string =>
  document(frame, <EventsPage frame={frame} view={view} />)

/** Page of one endpoint. `base`: URL of this server, for examples. */
export const endpointDocument = (frame: Frame, endpoint: Endpoint, base: string): string =>
  document(frame, <EndpointPage frame={frame} endpoint={endpoint} base={base} />)
