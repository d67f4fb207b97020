import type { reputationApi } from '@carapace/api'
import { currentVersion, type Explanation, exportedFacts, marketId, scoreIn, shadowVersion } from '@carapace/formula'
import type { Handlers } from '@carapace/service'
import { type Comparison, lastComparison } from '../comparison.ts'
import { needScore } from '../lookup.ts'
import { vouching } from '../market.ts'
import type { Parts } from '../parts.ts'
import { storedScore } from '../stored-score.ts'
import { explanations } from './explanations.ts'

const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Handles of the agents that an explanation names. */
async function handlesIn({ scores }: Parts, { parts, decays }: Explanation): Promise<ReadonlyMap<string, string>> {
  const texts = [...Object.values(parts).flatMap(({ contributions }) => contributions), ...decays].map(({ text }) => text)
  const named = new Set(texts.flatMap(text => text.match(ids) ?? []))
  return new Map([...(await scores.many([...named])).values()].map(({ id, handle }) => [id, handle]))
}

const comparisonView = ({ _id: _, comparedAt, ...figures }: Comparison) => ({ ...figures, comparedAt: comparedAt.toISOString() })

export const explainedHandlers = (parts: Parts, explained = explanations()) =>
  ({
    explainReputation: async ({ params, query }) => {
      const doc = await needScore(parts, params.id)
      const { formulaVersion, at, inputs, facts, score } = await storedScore(parts, doc, query.at)
      const explanation = await explained(doc.id, { formulaVersion, at, facts, inputs })
      const handles = await handlesIn(parts, explanation)
      const named = (text: string) => text.replace(ids, id => handles.get(id) ?? id)
      const partOf = (name: keyof typeof score.components) => {
        const part = explanation.parts[name]
        const contributions = part.contributions.map(({ text, ...one }) => {
          const handle = handles.get(one.with ?? '') ?? null
          const place = handle === null ? -1 : text.indexOf(one.with!)
          return { ...one, text: named(text), handle, handleAt: place < 0 ? null : named(text.slice(0, place)).length }
        })
        return { ...part, contributions }
      }
      const { fusedScore, tier, penalty, decay } = score
      return {
        ...{ agentId: doc.id, formulaVersion, at: at.toISOString(), inputs, fusedScore, tier, start: explanation.start, decay, penalty },
        components: {
          gigPerformance: partOf('gigPerformance'),
          onChainBehaviour: partOf('onChainBehaviour'),
          bondReliability: partOf('bondReliability'),
          ecosystemSignals: partOf('ecosystemSignals'),
        },
        raises: explanation.raises,
        decays: explanation.decays.map(entry => ({ ...entry, text: named(entry.text) })),
        shadow: query.at === undefined && doc.shadow ? { ...doc.shadow } : null,
      }
    },

    exportScore: async ({ params, query }) => {
      const doc = await needScore(parts, params.id)
      const { formulaVersion, at, inputs, log, score } = await storedScore(parts, doc, query.at)
      const facts = exportedFacts(log)
      return { format: 'carapace-score' as const, agentId: doc.id, formulaVersion, at: at.toISOString(), inputs, facts, score: scoreIn(score) }
    },

    getFormulas: async () => {
      const [comparison, [matured], vouchers] = await Promise.all([
        lastComparison(parts),
        parts.audit.factsOf([marketId]),
        parts.scores.count(vouching),
      ])
      return {
        ...{ current: currentVersion, shadow: shadowVersion },
        market: { maturedAt: matured?.at.toISOString() ?? null, reason: matured?.type === 'market_matured' ? matured.reason : null, vouchers },
        comparison: comparison && comparisonView(comparison),
      }
    },
  }) satisfies Handlers<typeof reputationApi>
