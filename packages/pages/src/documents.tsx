import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { ErrorPage, type ErrorView } from './frame/error-page.tsx'
import type { Frame } from './frame/frame.ts'
import { StatusPage } from './status/status-page.tsx'
import type { StatusView } from './status/status-view.ts'

/** Every page as the text of an HTML document. */

const document = (page: VNode): string => `<!doctype html>${renderToString(page)}`

export const statusDocument = (frame: Frame, view: StatusView): string =>
  document(<StatusPage frame={frame} view={view} />)

export const errorDocument = (frame: Frame, error: ErrorView): string =>
  document(<ErrorPage frame={frame} error={error} />)
