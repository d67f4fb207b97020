export type AuthMode = 'plain' | 'signed'

const header = (name: string, description: string) => ({ apiKeySecurityScheme: { location: 'header', name, description } })

/** How a caller says who it is. A2A names no signatures among its schemes: the header that bears one stands for it. */
const schemes = {
  plain: {
    agentId: header('x-agent-id', 'The id of the registered agent that calls'),
    wallet: header('x-wallet-address', 'Its wallet'),
  },
  signed: {
    signature: header(
      'signature',
      'ERC-8128: the request is signed by the wallet of a registered agent (RFC 9421), with Signature-Input and Content-Digest',
    ),
  },
} as const

/** No client is refused that cannot sign: what is only read needs nobody. */
const signatures = {
  uri: 'https://eips.ethereum.org/EIPS/eip-8128',
  required: false,
  params: { components: ['@method', '@authority', '@path', 'content-digest'] },
}

/** What a card says of authentication, and what a skill that acts for its caller requires. */
export function securityOf(mode: AuthMode) {
  const securitySchemes: Record<string, ReturnType<typeof header>> = schemes[mode]
  const description =
    mode === 'signed'
      ? 'post_gig needs a signature of the request by the wallet of a registered agent'
      : 'A signature of the request that is sent is checked'
  return {
    securitySchemes,
    extensions: [{ ...signatures, description }],
    securityRequirements: [{ schemes: Object.fromEntries(Object.keys(securitySchemes).map(name => [name, { list: [] }])) }],
  }
}
