import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Catalogue } from '../../shared/models/catalogue.ts';
import { type ServiceSecret, serviceSecret } from './base/service-secret.ts';
import type { Settings } from './settings/settings.ts';

export interface WebSearchProps {
  readonly settings: Pick<Settings, 'search' | 'searchUrl' | 'researchMaxUsd'>;
  readonly catalogue: Catalogue;
}

/** The provider that searches the web, and the secret for it, if it takes one, which the operator fills in. */
export class WebSearch extends Construct {
  private readonly settings: WebSearchProps['settings'];
  private readonly secret: ServiceSecret | undefined;

  constructor(scope: Construct, id: string, props: WebSearchProps) {
    super(scope, id);
    const { settings, catalogue } = props;
    const { search } = settings;
    this.settings = settings;
    if (search !== 'none' && !catalogue.searchProviders.some((each) => each.id === search)) {
      throw new Error(
        `The catalogue has no price for a search by ${search}: add it to searchProviders.`,
      );
    }
    if (search === 'none' || search === 'searxng') return;
    this.secret = serviceSecret(this, 'search', `API key for web searches by ${search}`);
  }

  /** Lets a function search. */
  grantSearch(fn: LambdaFunction): void {
    this.describeTo(fn);
    const { searchUrl } = this.settings;
    if (searchUrl) fn.addEnvironment('SEARCH_URL', searchUrl);
    if (!this.secret) return;
    this.secret.allowValue(fn);
    fn.addEnvironment('SEARCH_SECRET', this.secret.secretArn);
  }

  /** Lets a function know the provider and what a research may cost. */
  describeTo(fn: LambdaFunction): void {
    const { search, researchMaxUsd } = this.settings;
    fn.addEnvironment('RESEARCH_MAX_USD', String(researchMaxUsd));
    if (search !== 'none') fn.addEnvironment('SEARCH_PROVIDER', search);
  }
}
