import { createHash } from 'node:crypto'
import { refuseField } from '@carapace/api'
import { bazaarFor, type Purchase } from './purchase.ts'

/** Name of the x402 extension by which a client names its payment. */
export const paymentIdentifier = 'payment-identifier'
const format = { minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' }
const pattern = new RegExp(format.pattern)

const identifierDeclaration = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { required: { type: 'boolean' }, id: { type: 'string', ...format } },
    required: ['required'],
  },
}

/** The extensions of a v2 challenge. */
export const extensionsFor = (purchase: Purchase) => ({ bazaar: bazaarFor(purchase), [paymentIdentifier]: identifierDeclaration })

/** What a sent identifier stands for: one payment for one purchase. @throws VALIDATION_ERROR where it is none */
export function identifierOf(sent: unknown, { route, path }: Purchase): { id: string; request: string } | undefined {
  if (sent === undefined) return undefined
  const isValid = typeof sent === 'string' && sent.length >= format.minLength && sent.length <= format.maxLength && pattern.test(sent)
  const field = `extensions.${paymentIdentifier}.info.id`
  if (!isValid) return refuseField(field, `must be ${format.minLength} to ${format.maxLength} of A-Z, a-z, 0-9, - and _`)
  return { id: sent, request: createHash('sha256').update(`${route}\n${path}`).digest('hex') }
}
