import type { identityApi } from '@carapace/api'
import { content, type HandlersOf, reply } from '@carapace/service'
import { checkCredential } from '../credential/check.ts'
import { asJwt } from '../credential/proof.ts'
import type { Parts } from '../parts.ts'

type Handlers = HandlersOf<typeof identityApi>
const jwtType = 'application/vc+jwt'
const varies = { vary: 'accept' }

export const credentialHandlers = (parts: Parts): Pick<Handlers, 'getCredential' | 'verifyCredential' | 'getDidDocument'> => ({
  getCredential: async ({ params, accept }) => {
    const agent = await parts.agents.named(params.id)
    const { credential, withProof } = await parts.credentialFor(agent)
    if (accept.includes(jwtType)) return content(jwtType, await asJwt(await parts.issuer(), credential), varies)
    const answer = {
      credential: withProof,
      format: 'application/vc',
      issuedAt: new Date(credential.validFrom).toISOString(),
      expiresAt: new Date(credential.validUntil).toISOString(),
      verifyEndpoint: `${parts.baseUrl}/api/credentials/verify`,
    }
    return reply(200, answer, varies)
  },

  verifyCredential: ({ body }) => checkCredential(parts, body.credential),

  getDidDocument: async () => reply(200, (await parts.issuer()).didDocument, { 'access-control-allow-origin': '*' }),
})
