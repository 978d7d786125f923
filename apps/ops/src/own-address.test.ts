import { expect, test } from 'vitest'
import { addressOf } from './own-address.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8081'],
  ['0.0.0.0', 'http://127.0.0.1:8081'],
  ['::', 'http://127.0.0.1:8081'],
  ['::1', 'http://[::1]:8081'],
  ['2001:db8::1', 'http://[2001:db8::1]:8081'],
  ['ton.example', 'http://ton.example:8081'],
])('an API on %s is opened at %s', (apiHost, address) => {
  expect(addressOf({ apiHost, apiPort: 8081 })).toBe(address)
})
