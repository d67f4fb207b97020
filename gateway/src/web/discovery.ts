/** The mark of the site: a shell. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b83b17"/><path d="M16 6c6 0 10 4.4 10 10 0 5.700-4.200 9-10 9S6 21.700 6 16C6 10.400 10 6 16 6Z" fill="none" stroke="#fff" stroke-width="2.200"/><path d="M16 6v19M8 12l16 8M24 12 8 20" stroke="#fff" stroke-width="1.600" fill="none"/></svg>`

export const manifest = JSON.stringify({
  name: 'Carapace',
  short_name: 'Carapace',
  description: 'The trust and payment layer for autonomous software agents',
  start_url: '/',
  display: 'standalone',
  background_color: '#fbfaf7',
  theme_color: '#b83b17',
  icons: [{ src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' }],
})

/** Crawlers read the pages and not the interface. */
export const robots = (publicBaseUrl: string): string => `User-agent: *
Disallow: /api/
Disallow: /operator
Disallow: /search
Sitemap: ${publicBaseUrl}/sitemap.xml
`
