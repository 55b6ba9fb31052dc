package secrets

import (
	"strings"
)

// A BuiltIn is one pattern for a token that can be told by its shape alone.
// What is told by a name or a place beside it is in names.go and flags.go.
type BuiltIn struct {
	Name     string
	About    string
	Keywords []string // one of them stands in every match; at least 3 bytes
	Pattern  string   // RE2; with a group, only the group is replaced
	Before   int      // how many bytes of a match may stand before the keyword
	Like     string   // a template of a match: see Example
	Unlike   string   // near it, and not a match

	accept func(token string) bool // a last look, for what an expression cannot say
	alone  bool                    // not glued to base64 characters, among which it is not rare
	solid  bool                    // at least 8 letters or digits follow the keyword
	once   bool                    // tried for the first keyword of a run only: see shape
}

// BuiltIns returns the table, for listings and tests.
func BuiltIns() []BuiltIn { return append([]BuiltIn(nil), table...) }

// anchored is the expression as it is compiled: at the keyword, where nothing
// may stand before it.
func (b *BuiltIn) anchored() string {
	if b.Before > 0 {
		return b.Pattern
	}
	return "^(?:" + b.Pattern + ")"
}

// Example makes a value that matches, out of nothing but pseudo-random
// characters: Like with each {class n} replaced by n characters of the class
// (d digits, h hex, l lower case and digits, u upper case and digits, a letters
// and digits, w those and - and _).
func (b *BuiltIn) Example(random func(n int) int) string {
	sets := map[string]string{
		"d": "0123456789",
		"h": "0123456789abcdef",
		"l": "abcdefghijklmnopqrstuvwxyz0123456789",
		"u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
		"a": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
		"w": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
	}
	var out strings.Builder
	rest := b.Like
	for {
		before, after, ok := strings.Cut(rest, "{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		spec, tail, _ := strings.Cut(after, "}")
		set, n := sets[spec[:1]], 0
		for _, c := range spec[2:] {
			n = n*10 + int(c-'0')
		}
		for range n {
			out.WriteByte(set[random(len(set))])
		}
		rest = tail
	}
}

// The lengths are lower bounds and open-ended: issuers lengthen their tokens,
// and a pattern that stops early leaves the tail. No pattern asks for a word
// boundary before it: a token may be glued to the n of an escaped newline, to
// %20, to a letter of another script.
var table = []BuiltIn{
	// Models and their tools.
	{Name: "openai_key", About: "OpenAI keys of projects, service accounts and admins", Keywords: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-service-", "sk-None-"}, Pattern: `sk-[A-Za-z]+-[\w-]{20,}`, Like: "sk-proj-{w 60}T3BlbkFJ{w 60}", Unlike: "sk-proj-short"},
	{Name: "openai_key", About: "OpenAI user keys", Keywords: []string{"T3BlbkFJ"}, Pattern: `sk-[\w-]{16,}`, Before: 200, Like: "sk-{a 20}T3BlbkFJ{a 20}", Unlike: "T3BlbkFJ"},
	{Name: "openai_key", About: "keys in the old OpenAI form, which several services copied", solid: true, Keywords: []string{"sk-"}, Pattern: `sk-[A-Za-z0-9]{32,}`, accept: looksRandom, Like: "sk-A1b{a 45}", Unlike: "sk-learn-pipeline-with-standard-scaler-step"},
	{Name: "anthropic_key", About: "Anthropic API, admin and session keys", Keywords: []string{"sk-ant-"}, Pattern: `sk-ant-[\w-]{20,}`, Like: "sk-ant-api03-{w 93}AA", Unlike: "sk-ant-hill"},
	{Name: "openrouter_key", About: "OpenRouter keys", Keywords: []string{"sk-or-"}, Pattern: `sk-or-(?:v\d+-)?[\w-]{32,}`, Like: "sk-or-v1-{h 64}", Unlike: "sk-or-not"},
	{Name: "groq_key", About: "Groq keys", solid: true, Keywords: []string{"gsk_"}, Pattern: `gsk_[A-Za-z0-9]{40,}`, Like: "gsk_{a 52}", Unlike: "gsk_widget_new"},
	{Name: "perplexity_key", About: "Perplexity keys", solid: true, Keywords: []string{"pplx-"}, Pattern: `pplx-[A-Za-z0-9]{32,}`, Like: "pplx-{a 48}", Unlike: "pplx-70b-online"},
	{Name: "xai_key", About: "xAI keys", solid: true, Keywords: []string{"xai-"}, Pattern: `xai-[A-Za-z0-9]{40,}`, Like: "xai-{a 80}", Unlike: "xai-api-reference"},
	{Name: "replicate_key", About: "Replicate tokens", Keywords: nil, Pattern: `r8_[A-Za-z0-9]{37}`, Like: "r8_{a 37}", Unlike: "r8_unorm"},
	{Name: "huggingface_token", About: "Hugging Face user and organisation tokens", solid: true, Keywords: []string{"hf_", "api_org_"}, Pattern: `(?:hf|api_org)_[A-Za-z0-9]{30,}`, Like: "hf_{a 34}", Unlike: "hf_hub_download_with_progress_bar_on"},
	{Name: "langsmith_key", About: "LangSmith personal and service keys", Keywords: []string{"lsv2_", "ls__"}, Pattern: `(?:lsv2_[a-z]{2}_|ls__)[A-Za-z0-9_]{20,}`, Like: "lsv2_pt_{h 32}_{h 10}", Unlike: "lsv2_pt_x"},
	{Name: "wandb_key", About: "Weights & Biases keys, new form", Keywords: []string{"wandb_v1_"}, Pattern: `wandb_v1_[\w-]{30,}`, Like: "wandb_v1_{w 60}", Unlike: "wandb_v1_run"},

	// Code hosting and building.
	{Name: "github_token", About: "GitHub personal, OAuth, app, server and refresh tokens", solid: true, Keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, Pattern: `gh[pousr]_[A-Za-z0-9]{30,}`, Like: "ghp_{a 36}", Unlike: "ghp_is_the_prefix"},
	{Name: "github_token", About: "GitHub fine-grained personal tokens", Keywords: []string{"github_pat_"}, Pattern: `github_pat_[A-Za-z0-9_]{30,}`, Like: "github_pat_{a 22}_{a 59}", Unlike: "github_pat_rotation"},
	{Name: "gitlab_token", About: "GitLab tokens of every prefix", Keywords: []string{"glpat-", "glptt-", "glrt-", "gldt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-", "glffct-", "glrtr-", "glwt-"}, Pattern: `gl(?:pat|ptt|rtr?|dt|cbt|soat|ft|imt|agent|oas|ffct|wt)-[\w-]{16,}(?:\.[\w-]+){0,3}`, Like: "glpat-{w 20}", Unlike: "glpat- prefixed"},
	{Name: "gitlab_token", About: "GitLab runner registration tokens", Keywords: []string{"GR1348941"}, Pattern: `GR1348941[\w-]{20,}`, Like: "GR1348941{w 20}", Unlike: "GR1348941"},
	{Name: "azure_devops_pat", About: "Azure DevOps personal access tokens", Keywords: []string{"AZDO"}, Pattern: `[A-Za-z0-9]{60,90}AZDO[A-Za-z0-9]{4,}`, Before: 100, Like: "{a 76}AZDO{a 4}", Unlike: "the AZDO project"},
	{Name: "atlassian_token", About: "Atlassian API and access tokens, Bitbucket app passwords", Keywords: []string{"ATATT3", "ATCTT3", "ATSTT3"}, Pattern: `(?:ATATT3|ATCTT3|ATSTT3)[\w=%+/-]{40,}`, Like: "ATATT3xFfGF0{w 170}", Unlike: "ATATT3"},
	{Name: "atlassian_token", About: "Bitbucket app passwords", Keywords: []string{"ATBB"}, Pattern: `ATBB[A-Za-z0-9]{28,}`, alone: true, accept: allClasses, Like: "ATBBaA1{a 29}", Unlike: "ATBB is a prefix"},
	{Name: "npm_token", About: "npm tokens", solid: true, Keywords: []string{"npm_"}, Pattern: `npm_[A-Za-z0-9]{30,}`, Like: "npm_{a 36}", Unlike: "npm_config_cache_directory_of_the_user"},
	{Name: "pypi_token", About: "PyPI upload tokens", Keywords: []string{"pypi-AgE", "pypi-AgEN"}, Pattern: `pypi-[\w-]{32,}`, Like: "pypi-AgEIcHlwaS5vcmc{w 140}", Unlike: "pypi-AgEnda"},
	{Name: "rubygems_key", About: "RubyGems keys", Keywords: []string{"rubygems_"}, Pattern: `rubygems_[0-9a-f]{40,}`, Like: "rubygems_{h 48}", Unlike: "rubygems_version"},
	{Name: "crates_token", About: "crates.io tokens", Keywords: nil, Pattern: `cio[A-Za-z0-9]{32}`, accept: allClasses, Like: "cioA1b{a 29}", Unlike: "ciopfs"},
	{Name: "nuget_key", About: "NuGet keys", Keywords: nil, Pattern: `oy2[a-z0-9]{43,}`, Like: "oy2{l 43}", Unlike: "oy2short"},
	{Name: "artifactory_token", About: "JFrog Artifactory keys and reference tokens", solid: true, Keywords: []string{"AKCp", "cmVmdGtu"}, Pattern: `AKCp[A-Za-z0-9]{60,}|cmVmdGtu[A-Za-z0-9]{40,}`, Like: "AKCp{a 69}", Unlike: "AKCp"},
	{Name: "dockerhub_token", About: "Docker Hub access tokens", Keywords: []string{"dckr_pat_", "dckr_oat_"}, Pattern: `dckr_[po]at_[\w-]{20,}`, Like: "dckr_pat_{w 27}", Unlike: "dckr_pat_"},
	{Name: "terraform_token", About: "Terraform Cloud tokens", Keywords: []string{".atlasv1."}, Pattern: `[A-Za-z0-9]{10,20}\.atlasv1\.[\w-]{40,}`, Before: 24, Like: "{a 14}.atlasv1.{w 67}", Unlike: "x.atlasv1.y"},
	{Name: "vault_token", About: "HashiCorp Vault service, batch and recovery tokens", Keywords: []string{"hvs.", "hvb.", "hvr."}, Pattern: `hv[sbr]\.[\w-]{20,}`, Like: "hvs.{w 95}", Unlike: "hvs.example"},
	{Name: "age_key", About: "age identities", Keywords: []string{"AGE-SECRET-KEY-"}, Pattern: `AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,}`, Like: "AGE-SECRET-KEY-1{u 58}", Unlike: "AGE-SECRET-KEY-1"},

	// Clouds.
	{Name: "aws_access_key_id", About: "AWS access key ids, permanent and temporary", solid: true, Keywords: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, Pattern: `A(?:KI|SI|BI|CC)A[A-Z0-9]{16}`, accept: hasDigit, Like: "AKIA2{u 15}", Unlike: "AKIA is a key id prefix"},
	{Name: "aws_session_token", About: "AWS session tokens", Keywords: []string{"IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"}, Pattern: `(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z0-9+/=%_-]{60,}`, Like: "IQoJb3JpZ2luX2Vj{a 300}", Unlike: "IQoJb3JpZ2lu"},
	{Name: "aws_bedrock_key", About: "Amazon Bedrock keys", Keywords: []string{"ABSKQmVkcm9ja0", "bedrock-api-key-"}, Pattern: `ABSKQmVkcm9ja0[A-Za-z0-9+/=]{60,}|bedrock-api-key-[A-Za-z0-9+/=]{40,}`, Like: "ABSKQmVkcm9ja0{a 110}", Unlike: "bedrock-api-key-name"},
	{Name: "gcp_api_key", About: "Google API keys", Keywords: []string{"AIza"}, Pattern: `AIza[\w-]{30,}`, Like: "AIza{w 35}", Unlike: "AIza"},
	{Name: "gcp_oauth_token", About: "Google OAuth access and refresh tokens", Keywords: []string{"ya29.", "1//0"}, Pattern: `ya29\.[\w.-]{30,}|1//0[\w-]{40,}`, Like: "ya29.{w 120}", Unlike: "ya29.x"},
	{Name: "gcp_client_secret", About: "Google OAuth client secrets", Keywords: []string{"GOCSPX-"}, Pattern: `GOCSPX-[\w-]{20,}`, Like: "GOCSPX-{w 28}", Unlike: "GOCSPX-"},
	{Name: "azure_client_secret", About: "Microsoft Entra client secrets", Keywords: nil, Pattern: `[\w.~-]{3}\dQ~[\w.~-]{31,34}`, Like: "a1B8Q~{w 34}", Unlike: "Q~learning"},
	{Name: "azure_storage_key", About: "keys that Azure marks as its own", Keywords: []string{"+ASt", "+ACDb", "AzFu", "+ARm", "AzCa", "AIoT", "+ABa"}, Pattern: `[A-Za-z0-9+/]{40,76}(?:\+ASt|\+ACDb|AzFu|\+ARm|AzCa|AIoT|\+ABa)[A-Za-z0-9+/]{5,6}={1,2}`, Before: 80, Like: "{a 76}+ASt{a 6}==", Unlike: "AzCaptcha"},
	{Name: "digitalocean_token", About: "DigitalOcean tokens", solid: true, Keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, Pattern: `do[por]_v1_[0-9a-f]{40,}`, Like: "dop_v1_{h 64}", Unlike: "dop_v1_x"},
	{Name: "heroku_key", About: "Heroku keys", Keywords: []string{"HRKU-"}, Pattern: `HRKU-[\w-]{30,}`, Like: "HRKU-AA{w 58}", Unlike: "HRKU-"},
	{Name: "databricks_token", About: "Databricks tokens", solid: true, Keywords: []string{"dapi", "dkea", "dose"}, Pattern: `(?:dapi|dkea|dose)[0-9a-f]{32}(?:-\d+)?`, Like: "dapi{h 32}-2", Unlike: "dapi version"},
	{Name: "flyio_token", About: "Fly.io tokens", Keywords: []string{"fo1_", "fm1r_", "fm1a_", "fm2_"}, Pattern: `(?:fo1|fm1[ra]|fm2)_[\w+/=-]{40,}`, Like: "fo1_{w 43}", Unlike: "fo1_x"},
	{Name: "doppler_token", About: "Doppler tokens", Keywords: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, Pattern: `dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{36,}`, Like: "dp.pt.{a 43}", Unlike: "dp.pt.x"},
	{Name: "cloudflare_token", About: "Cloudflare tokens, new forms, and origin CA keys", Keywords: []string{"cfut_", "cfat_", "cfk_", "v1.0-"}, Pattern: `cf(?:ut|at|k)_[A-Za-z0-9_-]{40,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}`, Like: "cfut_{a 48}", Unlike: "v1.0-beta"},
	{Name: "planetscale_token", About: "PlanetScale tokens and passwords", Keywords: []string{"pscale_"}, Pattern: `pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}`, Like: "pscale_pw_{w 43}", Unlike: "pscale_branch"},
	{Name: "supabase_key", About: "Supabase keys and tokens", Keywords: []string{"sbp_", "sb_secret_"}, Pattern: `sbp_[0-9a-f]{40,}|sb_secret_[\w-]{20,}`, Like: "sbp_{h 40}", Unlike: "sbp_x"},
	{Name: "tailscale_key", About: "Tailscale keys", Keywords: []string{"tskey-"}, Pattern: `tskey-[a-z]+-[\w-]{20,}`, Like: "tskey-auth-{a 17}-{a 32}", Unlike: "tskey-auth-x"},

	// Talking to people.
	{Name: "slack_token", About: "Slack bot, user, app, rotating and legacy tokens", Keywords: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xapp-"}, Pattern: `(?:xoxe\.xox[bp]|xox[a-z]|xapp)-[\w%-]{20,}`, Like: "xoxb-{d 12}-{d 13}-{a 24}", Unlike: "xoxb- tokens belong to bots"},
	{Name: "slack_webhook", About: "the secret path of Slack webhooks", Keywords: []string{"hooks.slack.com", "hooks.slack-gov.com"}, Pattern: `hooks\.slack(?:-gov)?\.com\\?/(?:services|workflows|triggers)\\?/((?:[\w+-]|\\?/){20,})`, Like: "https://hooks.slack.com/services/T{u 8}/B{u 10}/{a 24}", Unlike: "https://hooks.slack.com/services/"},
	{Name: "discord_webhook", About: "the secret path of Discord webhooks", Keywords: []string{"/webhooks/"}, Pattern: `discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{15,}/[\w-]{40,})`, Before: 40, Like: "https://discord.com/api/webhooks/{d 18}/{w 68}", Unlike: "https://example.com/webhooks/1"},
	{Name: "teams_webhook", About: "the secret path of Microsoft Teams webhooks", Keywords: []string{"webhook.office.com", "outlook.office.com/webhook"}, Pattern: `(?:webhook|outlook)\.office\.com/webhook\w*/([\w@/-]{60,})`, Like: "https://a.webhook.office.com/webhookb2/{h 36}@{h 36}/IncomingWebhook/{h 32}/{h 36}", Unlike: "https://a.webhook.office.com/webhookb2/"},
	{Name: "discord_token", About: "Discord bot tokens", Keywords: nil, Pattern: `[MNO][A-Za-z0-9_-]{22,30}\.[\w-]{6}\.[\w-]{25,}`, Like: "MjQx{a 22}.{w 6}.{w 38}", Unlike: "MjQx.a.b"},
	{Name: "telegram_token", About: "Telegram bot tokens", Keywords: nil, Pattern: `\d{8,10}:AA[\w-]{32,33}`, Like: "{d 10}:AA{w 33}", Unlike: "1234567890:AAA"},
	{Name: "twilio_key", About: "Twilio key ids", Keywords: nil, Pattern: `SK[0-9a-f]{32}`, Like: "SK{h 32}", Unlike: "SKIP"},
	{Name: "sendgrid_key", About: "SendGrid keys", Keywords: []string{"SG."}, Pattern: `SG\.[\w-]{16,32}\.[\w-]{30,}`, Like: "SG.{w 22}.{w 43}", Unlike: "SG.UTF-8"},
	{Name: "mailgun_key", About: "Mailgun keys", solid: true, Keywords: []string{"key-"}, Pattern: `key-[0-9a-f]{32}`, Like: "key-{h 32}", Unlike: "key-value-store-benchmark-results-12"},
	{Name: "mailchimp_key", About: "Mailchimp keys", Keywords: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, Pattern: `[0-9a-f]{32}-us\d{1,2}`, Before: 32, Like: "{h 32}-us14", Unlike: "en-us1"},
	{Name: "brevo_key", About: "Brevo keys", Keywords: []string{"xkeysib-", "xsmtpsib-"}, Pattern: `x(?:key|smtp)sib-[0-9a-f]{64}-\w{12,}`, Like: "xkeysib-{h 64}-{a 16}", Unlike: "xkeysib-"},

	// Money.
	{Name: "stripe_key", About: "Stripe secret and restricted keys", solid: true, Keywords: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_"}, Pattern: `[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`, Like: "sk_live_{a 24}", Unlike: "sk_live_"},
	{Name: "stripe_webhook_secret", About: "Stripe webhook secrets", Keywords: []string{"whsec_"}, Pattern: `whsec_[A-Za-z0-9+/=]{24,}`, Like: "whsec_{a 32}", Unlike: "whsec_ prefix missing"},
	{Name: "square_token", About: "Square tokens and secrets", Keywords: []string{"sq0csp-", "sq0atp-", "sq0idp-", "sq0isp-"}, Pattern: `sq0[a-z]{3}-[\w-]{22,}`, Like: "sq0csp-aA1{w 40}", Unlike: "sq0csp-"},
	{Name: "square_token", About: "Square access tokens", Keywords: []string{"EAAA"}, Pattern: `EAAA[\w-]{60}`, accept: allClasses, alone: true, Like: "EAAAaA1{w 57}", Unlike: "EAAA"},
	{Name: "shopify_token", About: "Shopify tokens and secrets", solid: true, Keywords: []string{"shpat_", "shpca_", "shppa_", "shpss_", "shpua_"}, Pattern: `shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32,}`, Like: "shpat_{h 32}", Unlike: "shpat_x"},

	// Watching.
	{Name: "newrelic_key", About: "New Relic keys", Keywords: []string{"NRAK-", "NRII-", "NRJS-", "NRRA-", "FFFFNRAL"}, Pattern: `NR(?:AK|II|RA)-[A-Za-z0-9_-]{20,}|NRJS-[0-9a-f]{19}`, Like: "NRAK-{u 27}", Unlike: "NRAK-"},
	{Name: "grafana_token", About: "Grafana service account, cloud and API tokens", Keywords: []string{"glsa_", "glc_", "eyJrIjoi"}, Pattern: `glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{40,}|eyJrIjoi[A-Za-z0-9+/=]{40,}`, Like: "glsa_{a 32}_{h 8}", Unlike: "glsa_x"},
	{Name: "sentry_token", About: "Sentry user and organisation tokens", Keywords: []string{"sntrys_", "sntryu_", "sntrya_", "sntryi_"}, Pattern: `sntry[suai]_[A-Za-z0-9+/=_-]{40,}`, Like: "sntryu_{h 64}", Unlike: "sntryu_"},
	{Name: "sonar_token", About: "SonarQube tokens", Keywords: []string{"squ_", "sqp_", "sqa_"}, Pattern: `sq[upa]_[0-9a-f]{40}`, Like: "squ_{h 40}", Unlike: "squ_x"},
	{Name: "dynatrace_token", About: "Dynatrace tokens", Keywords: []string{"dt0c01.", "dt0s01.", "dt0s16."}, Pattern: `dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}`, Like: "dt0c01.{u 24}.{u 64}", Unlike: "dt0c01.x"},
	{Name: "okta_token", About: "Okta API tokens", Keywords: nil, Pattern: `00[A-Za-z0-9_-]{40}`, Like: "00aB{w 38}", Unlike: "00:00:00"},

	// Everything else.
	{Name: "mapbox_token", About: "Mapbox secret tokens", Keywords: []string{"sk.eyJ"}, Pattern: `sk\.eyJ[\w-]{20,}\.[\w-]{16,}`, Like: "sk.eyJ1Ijoi{a 76}.{w 22}", Unlike: "sk.eyJ"},
	{Name: "postman_key", About: "Postman keys", Keywords: []string{"PMAK-"}, Pattern: `PMAK-[0-9a-f]{20,}-[0-9a-f]{30,}`, Like: "PMAK-{h 24}-{h 34}", Unlike: "PMAK-"},
	{Name: "linear_key", About: "Linear keys", Keywords: []string{"lin_api_", "lin_oauth_"}, Pattern: `lin_(?:api|oauth)_[A-Za-z0-9]{30,}`, Like: "lin_api_{a 40}", Unlike: "lin_api_x"},
	{Name: "notion_token", About: "Notion tokens", Keywords: []string{"ntn_", "secret_"}, Pattern: `ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}`, accept: allClasses, Like: "ntn_aA1{a 43}", Unlike: "secret_name"},
	{Name: "figma_token", About: "Figma tokens", Keywords: []string{"figd_", "figo_"}, Pattern: `fig[do]_[\w-]{36,}`, Like: "figd_{w 40}", Unlike: "figd_x"},
	{Name: "airtable_token", About: "Airtable tokens", Keywords: nil, Pattern: `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, Like: "pat{a 14}.{h 64}", Unlike: "pattern"},
	{Name: "adobe_secret", About: "Adobe client secrets", Keywords: []string{"p8e-"}, Pattern: `p8e-[\w-]{32}`, Like: "p8e-{w 32}", Unlike: "p8e-x"},
	{Name: "onepassword_token", About: "1Password service account tokens", Keywords: []string{"ops_eyJ"}, Pattern: `ops_eyJ[\w+/=-]{100,}`, Like: "ops_eyJ{a 200}", Unlike: "ops_eyJ"},
	{Name: "facebook_token", About: "Facebook access tokens", Keywords: []string{"EAAC", "EAAB", "EAAG"}, Pattern: `EAA[A-Z][A-Za-z0-9]{80,}`, accept: allClasses, alone: true, Like: "EAACaA1{a 120}", Unlike: "EAACx"},
	{Name: "jwt", About: "JSON web tokens, signed or encrypted, also without their signature", Keywords: []string{"eyJh", "eyJ0", "eyJr", "eyJj", "eyJl", "eyJ4", "eyJ6", "eyJ1", "eyJi", "eyJw", "eyJz", "eyJu", "eyJq", "eyJm"}, Pattern: `eyJ[\w-]{8,}={0,2}\.[\w-]{8,}={0,2}(?:\.[\w-]*={0,2}){0,3}`, once: true, Like: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi{w 40}.{w 43}", Unlike: "eyJ is how base64 JSON begins"},
	{Name: "password_hash", About: "crypt(3), bcrypt, argon2, scrypt, yescrypt, Apache MD5", Keywords: []string{"$1$", "$5$", "$6$", "$y$", "$7$", "$P$", "$H$", "$2a$", "$2b$", "$2y$", "$gy$", "$apr1$", "$argon2", "$scrypt$", "$pbkdf2", "$sha1$"}, Pattern: `\$(?:argon2(?:id?|d)|scrypt|pbkdf2[\w-]*|sha1|apr1|gy|[1257y6PH]|2[aby])\$[A-Za-z0-9./$=,+*_-]{20,}`, Like: "$6${a 16}${a 86}", Unlike: "$1$"},
	{Name: "password_hash", About: "hashes of Django, LDAP, PostgreSQL", Keywords: []string{"pbkdf2_sha", "{SSHA", "{CRYPT}", "SCRAM-SHA-256$"}, Pattern: `pbkdf2_sha\d+\$\d+\$[A-Za-z0-9./$=+]{30,}|\{(?:SSHA\d*|CRYPT)\}[A-Za-z0-9./$=+]{12,}|SCRAM-SHA-256\$\d+:[A-Za-z0-9+/=$:]{40,}`, Like: "pbkdf2_sha256$600000${a 22}${a 43}", Unlike: "pbkdf2_sha256"},
	{Name: "prefect_key", About: "Prefect keys", Keywords: []string{"pnu_"}, Pattern: `pnu_[A-Za-z0-9]{36}`, Like: "pnu_{a 36}", Unlike: "pnu_x"},
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// allClasses asks for upper case, lower case and digits.
func allClasses(s string) bool {
	var up, low, dig bool
	for i := 0; i < len(s); i++ {
		up = up || isUpper(s[i])
		low = low || isLower(s[i])
		dig = dig || isDigit(s[i])
	}
	return up && low && dig
}

// looksRandom tells a token from words: letters and digits change places
// often, or both letter cases and digits are mixed.
func looksRandom(s string) bool {
	changes, digits, uppers, lowers := 0, 0, 0, 0
	last := byte(0)
	for i := 0; i < len(s); i++ {
		var k byte
		switch c := s[i]; {
		case isDigit(c):
			digits++
			k = 1
		case isUpper(c):
			uppers++
			k = 2
		case isLower(c):
			lowers++
			k = 3
		}
		if k != last {
			changes++
		}
		last = k
	}
	return digits > 0 && changes*6 >= len(s) && (uppers > 0 || lowers > 0)
}
