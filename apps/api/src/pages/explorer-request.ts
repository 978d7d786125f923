import { parseAddress } from '@shardwalk/api-schema'
import type { PagerView, Replies } from '@shardwalk/pages'
import type { Request } from 'express'
import { HttpError, httpErrorOf } from '../http/errors.ts'
import type { Answered, IndexAnswers, Parameters } from './ask-index.ts'
import type { PageContext } from './send-page.ts'

/** Rows of a list on a page. */
export const ROWS = 50

/** A request of an explorer page. */
export class ExplorerRequest {
  private readonly parameters: URLSearchParams
  readonly testOnly: boolean

  private constructor(
    private readonly answers: IndexAnswers,
    private readonly request: Request,
    testOnly: boolean,
  ) {
    this.parameters = new URLSearchParams(request.originalUrl.split('?')[1] ?? '')
    this.testOnly = testOnly
  }

  static async of(
    { services }: PageContext,
    answers: IndexAnswers,
    request: Request,
  ): Promise<ExplorerRequest> {
    const { testOnly } = await services.head.read()
    return new ExplorerRequest(answers, request, testOnly)
  }

  parameter(name: string): string | undefined {
    return this.parameters.get(name) ?? undefined
  }

  /** With its question mark; empty without parameters. */
  get search(): string {
    return this.parameters.size > 0 ? `?${this.parameters}` : ''
  }

  get path(): string {
    return this.request.path
  }

  /** Where the page is shown and sorted. */
  get listing(): { readonly sort: 'asc' | 'desc'; readonly cursor: string | undefined } {
    return { sort: this.parameter('sort') === 'asc' ? 'asc' : 'desc', cursor: this.parameter('cursor') }
  }

  ask<Name extends keyof Replies>(name: Name, parameters: Parameters): Promise<Answered<Name>> {
    return this.answers.ask(this.request, name, parameters)
  }

  /** Undefined where the route says 404. */
  async find<Name extends keyof Replies>(
    name: Name,
    parameters: Parameters,
  ): Promise<Replies[Name] | undefined> {
    try {
      return (await this.ask(name, parameters)).reply
    } catch (error) {
      const status = httpErrorOf(error)?.status
      if (status === 404 || status === 422) return undefined
      throw error
    }
  }

  pager(here: string, next: string | undefined, json: string): PagerView {
    const { sort, cursor } = this.listing
    return { here, sort, next, isFirst: cursor === undefined, json }
  }
}

/** 64 hex digits of a path. Throws `HttpError` 422. */
export function hashOfPath(text: string): string {
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return text.slice(-64).toLowerCase()
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64').toString('hex')
  throw new HttpError(422, 'this is not a hash; accepted: 64 hex digits, or 44 characters of base64')
}

/** The address of a path. Throws `HttpError` 422. */
export function addressOfPath(text: string) {
  const address = parseAddress(text)
  if (address) return address
  throw new HttpError(
    422,
    'this is not an address; accepted: 48 characters of the user-friendly form, or ' +
      '<workchain>:<64 hex digits>',
  )
}
