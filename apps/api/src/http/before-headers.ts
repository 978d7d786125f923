import type { Response } from 'express'

/** Calls `action` just before the headers are written, the last moment at which one can be set. */
export function beforeHeaders(response: Response, action: () => void): void {
  const writeHead = response.writeHead as (...all: unknown[]) => Response
  const withAction = (...parameters: unknown[]) => {
    if (!response.headersSent) action()
    return writeHead.apply(response, parameters)
  }
  response.writeHead = withAction
}
