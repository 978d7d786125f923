import { visibleText } from '../text/visible-text.ts'
import type { Frame } from './frame.ts'
import { Layout } from './layout.tsx'

/** A failure as a reader sees it. `status`: of HTTP. */
export interface ErrorView {
  readonly status: number
  readonly message: string
  /** Seconds after which the request may be repeated. */
  readonly retryAfterSeconds?: number | undefined
  /** What would be accepted, or where to look instead. */
  readonly hints?: readonly string[] | undefined
}

/** It may repeat what was asked for. UTF-16 units. */
const MAX_MESSAGE = 1000

const HEADINGS: Readonly<Record<number, string>> = {
  401: 'A key is required',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not allowed here',
  406: 'Not available in this format',
  422: 'This could not be read',
  429: 'Too many requests',
  503: 'Not available right now',
}

/** An error for people; programs get the same as JSON. */
export function ErrorPage({ frame, error }: { readonly frame: Frame; readonly error: ErrorView }) {
  const { status, message, retryAfterSeconds, hints = [] } = error
  const heading = HEADINGS[status] ?? (status < 500 ? 'Bad request' : 'Something went wrong')
  return (
    <Layout frame={frame} title={heading}>
      <section class="error">
        <p class="status-code">{status}</p>
        <h1>{heading}</h1>
        <p>{sentence(visibleText(message.slice(0, MAX_MESSAGE)))}</p>
        {retryAfterSeconds !== undefined && (
          <p>Try again in {retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`}.</p>
        )}
        {hints.length > 0 && (
          <ul>
            {hints.map((hint) => (
              <li key={hint}>{visibleText(hint.slice(0, MAX_MESSAGE))}</li>
            ))}
          </ul>
        )}
        <p class="soft">
          <a href="/">Status</a> · <a href="/blocks">Newest blocks</a> · <a href="/docs">API reference</a>
        </p>
      </section>
    </Layout>
  )
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
