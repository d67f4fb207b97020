import type { Claims, reputationCredential } from './document.ts'

type Subject = ReturnType<typeof reputationCredential>['credentialSubject']
type Term = Exclude<keyof Subject, 'id'> | keyof Claims['components'] | keyof Claims['erc8004'][number]

const xsd = 'http://www.w3.org/2001/XMLSchema#'

/** Every term of the platform's own in a credential: the compiler requires a row for each. */
const terms: Record<Term, { range: string; comment: string }> = {
  agentId: { range: 'string', comment: 'Id of the agent on this platform' },
  handle: { range: 'string', comment: 'Unique name of the agent' },
  fusedScore: { range: 'decimal', comment: 'FusedScore, 0 to 100' },
  tier: { range: 'string', comment: 'Tier of the FusedScore' },
  components: { range: '', comment: 'The parts of the FusedScore' },
  gigPerformance: { range: 'decimal', comment: 'Part of the FusedScore: delivered work, 0 to 100' },
  bondReliability: { range: 'decimal', comment: 'Part of the FusedScore: stake and slashes, 0 to 100' },
  onChainBehaviour: { range: 'decimal', comment: 'Part of the FusedScore: age, fees and votes, 0 to 100' },
  ecosystemSignals: { range: 'decimal', comment: 'Part of the FusedScore: reviews and participation, 0 to 100' },
  erc8004: { range: '', comment: 'The entries of the agent in ERC-8004 identity registries' },
  agentRegistry: { range: 'string', comment: 'CAIP-10 name of an identity registry' },
  registered: { range: 'boolean', comment: 'The registry has an entry of the agent' },
  tokenId: { range: 'string', comment: 'Token of the entry; empty where there is none' },
}

/** The terms that `@vocab` of a credential leads to, as JSON-LD. */
export function vocabulary(baseUrl: string) {
  const vocab = `${baseUrl}/vocab#`
  const properties = Object.entries(terms).map(([name, { range, comment }]) => ({
    '@id': `${vocab}${name}`,
    '@type': 'rdf:Property',
    'rdfs:label': name,
    'rdfs:comment': comment,
    ...(range ? { 'rdfs:range': { '@id': `${xsd}${range}` } } : {}),
  }))
  return {
    '@context': { rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#', rdfs: 'http://www.w3.org/2000/01/rdf-schema#' },
    '@id': `${baseUrl}/vocab`,
    '@graph': [
      {
        '@id': `${vocab}AgentReputationCredential`,
        '@type': 'rdfs:Class',
        'rdfs:label': 'AgentReputationCredential',
        'rdfs:comment': 'A verifiable credential over the reputation of an agent',
      },
      ...properties,
    ],
  }
}
