export { apiKeyPrefix, hashApiKey, isApiKeyText, makeApiKey } from './key-text.ts'
export {
  API_KEYS_CHANNEL,
  type ApiKey,
  findApiKey,
  hasApiKeys,
  insertApiKey,
  listApiKeys,
  type NewApiKey,
  revokeApiKey,
} from './keys.ts'
