package trial;

import static trial.Report.check;
import static trial.Report.eventually;

import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v1.ScaleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** fabric8's client: kubeconfig, typed and generic resources, apply, informers, leader election, CRDs from classes. */
public final class Fabric8Trial {
  private static final String NAMESPACE = "fabric8-trial";
  private final KubernetesClient client;

  private Fabric8Trial(KubernetesClient client) {
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      Fabric8Trial trial = new Fabric8Trial(client);
      trial.objects();
      trial.customResources();
      trial.informers();
      trial.elections();
    }
    Report.finish();
  }

  private void objects() {
    check("kubeconfig and version", () -> client.getKubernetesVersion().getMajor().equals("1"));
    check("namespace", () -> client.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build()).create() != null);
    check("create", () -> client.resource(deployment(1)).create().getSpec().getReplicas() == 1);
    check("create of what is there", () -> code(() -> client.resource(deployment(1)).create()) == 409);
    check("edit", () -> web().edit(d -> new DeploymentBuilder(d).editSpec().withReplicas(2).endSpec().build()).getSpec().getReplicas() == 2);
    check("scale", () -> web().scale(new ScaleBuilder(web().scale()).editSpec().withReplicas(3).endSpec().build()).getSpec().getReplicas() == 3);
    check("strategic merge patch", () -> patched(PatchType.STRATEGIC_MERGE, "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"y\"}]}}}}").getSpec().getTemplate().getSpec().getContainers().size() == 2);
    check("JSON merge patch", () -> patched(PatchType.JSON_MERGE, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}").getMetadata().getLabels().get("a").equals("b"));
    check("JSON patch", () -> patched(PatchType.JSON, "[{\"op\":\"remove\",\"path\":\"/metadata/labels/a\"}]").getMetadata().getLabels() == null || !web().get().getMetadata().getLabels().containsKey("a"));
    check("server-side apply", this::apply);
    check("update of a stale object", this::stale);
    check("status patch", () -> client.resource(withStatus()).patchStatus().getStatus().getReplicas() == 5);
    check("dry run", () -> client.resource(map("dry", "1")).dryRun(true).create() != null && maps().withName("dry").get() == null);
    check("list with limit and selectors", this::paging);
    check("load of several documents", this::load);
    check("delete", () -> !web().delete().isEmpty() && eventually(() -> web().get() == null));
    check("api groups", () -> client.getApiGroups().getGroups().stream().anyMatch(g -> g.getName().equals("apps")) && client.supports(Deployment.class));
    check("generic resource without a class", this::generic);
    check("wait until a condition", () -> client.resource(map("late", "1")).create() != null && maps().withName("late").waitUntilCondition(m -> m.getData().get("v").equals("1"), 10, TimeUnit.SECONDS) != null);
  }

  private Deployment deployment(int replicas) {
    Map<String, String> labels = Map.of("app", "web");
    return new DeploymentBuilder().withNewMetadata().withName("web").withNamespace(NAMESPACE).endMetadata()
        .withNewSpec().withReplicas(replicas).withNewSelector().withMatchLabels(labels).endSelector()
        .withNewTemplate().withNewMetadata().withLabels(labels).endMetadata()
        .withNewSpec().addNewContainer().withName("web").withImage("x").endContainer().endSpec().endTemplate().endSpec().build();
  }

  private io.fabric8.kubernetes.client.dsl.RollableScalableResource<Deployment> web() {
    return client.apps().deployments().inNamespace(NAMESPACE).withName("web");
  }

  private Deployment patched(PatchType type, String patch) {
    return web().patch(PatchContext.of(type), patch);
  }

  private Deployment withStatus() {
    return new DeploymentBuilder(web().get()).withNewStatus().withReplicas(5).endStatus().build();
  }

  private boolean apply() {
    ConfigMap first = client.resource(map("applied", "1")).fieldManager("one").serverSideApply();
    int conflict = code(() -> client.resource(map("applied", "2")).fieldManager("two").serverSideApply());
    ConfigMap forced = client.resource(map("applied", "2")).fieldManager("two").forceConflicts().serverSideApply();
    return first.getData().get("v").equals("1") && conflict == 409 && forced.getData().get("v").equals("2");
  }

  private boolean stale() {
    Deployment old = web().get();
    web().edit(d -> new DeploymentBuilder(d).editMetadata().addToAnnotations("n", "1").endMetadata().build());
    return code(() -> client.resource(old).lockResourceVersion().update()) == 409;
  }

  private boolean paging() {
    IntStream.range(0, 9).forEach(i -> client.resource(labelled("page-" + i)).create());
    var page = maps().withLabel("page", "yes").list(new io.fabric8.kubernetes.api.model.ListOptionsBuilder().withLimit(4L).build());
    return page.getItems().size() == 4 && page.getMetadata().getRemainingItemCount() == null && !page.getMetadata().getContinue().isEmpty();
  }

  private boolean load() {
    String text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n";
    var created = client.load(new ByteArrayInputStream(text.getBytes())).inNamespace(NAMESPACE).create();
    return created.size() == 2 && client.services().inNamespace(NAMESPACE).withName("s").get().getSpec().getClusterIP() != null;
  }

  private boolean generic() {
    var context = new ResourceDefinitionContext.Builder().withGroup("coordination.k8s.io").withVersion("v1").withKind("Lease").withPlural("leases").withNamespaced(true).build();
    GenericKubernetesResource lease = new GenericKubernetesResource();
    lease.setApiVersion("coordination.k8s.io/v1");
    lease.setKind("Lease");
    lease.setMetadata(new ObjectMetaBuilder().withName("generic").withNamespace(NAMESPACE).build());
    lease.setAdditionalProperty("spec", Map.of("holderIdentity", "me"));
    var made = client.genericKubernetesResources(context).inNamespace(NAMESPACE).resource(lease).create();
    return made.<String>get("spec", "holderIdentity").equals("me") && client.genericKubernetesResources("v1", "ConfigMap").inNamespace(NAMESPACE).withName("applied").get() != null;
  }

  private void customResources() throws Exception {
    check("CRD from classes", this::define);
    var shelves = client.resources(Shelf.class).inNamespace(NAMESPACE);
    check("custom resource", () -> eventually(() -> shelves.resource(shelf("one", 3)).create().getSpec().getBooks() == 3));
    check("validation of the generated schema", () -> code(() -> shelves.resource(shelf("bad", 1001)).create()) == 422);
    check("status subresource", () -> {
      Shelf shelf = shelf("one", 99);
      shelf.setStatus(new Shelf.Status());
      shelf.getStatus().setCounted(7);
      Shelf written = shelves.resource(shelf).patchStatus();
      return written.getStatus().getCounted() == 7 && written.getSpec().getBooks() == 3;
    });
  }

  private boolean define() throws Exception {
    Path folder = Files.createTempDirectory("crds");
    new CRDGenerator().customResourceClasses(Shelf.class).inOutputDir(folder.toFile()).generate();
    client.load(Files.newInputStream(folder.resolve("shelves.trial.fabric8-v1.yml"))).create();
    var definition = client.apiextensions().v1().customResourceDefinitions().withName("shelves.trial.fabric8");
    return definition.waitUntilCondition(d -> d.getStatus().getConditions() != null && d.getStatus().getConditions().stream().anyMatch(c -> c.getType().equals("Established") && c.getStatus().equals("True")), 20, TimeUnit.SECONDS) != null;
  }

  private Shelf shelf(String name, int books) {
    Shelf shelf = new Shelf();
    shelf.setMetadata(new ObjectMetaBuilder().withName(name).withNamespace(NAMESPACE).build());
    shelf.setSpec(new Shelf.Spec());
    shelf.getSpec().setBooks(books);
    return shelf;
  }

  private void informers() throws Exception {
    try (SharedIndexInformer<ConfigMap> informer = maps().withLabel("watched", "yes").inform()) {
      check("informer syncs", () -> eventually(informer::hasSynced));
      IntStream.range(0, 30).forEach(i -> client.resource(watched(i)).create());
      check("informer sees creates", () -> eventually(() -> informer.getStore().list().size() == 30));
      Report.restartServer();
      check("writes after the restart", () -> eventually(() -> write(30, 60)));
      IntStream.range(0, 10).forEach(i -> maps().withName("watched-" + i).delete());
      check("informer converges after the restart", () -> eventually(() -> informer.isWatching() && informer.getStore().list().size() == 50));
    }
  }

  private boolean write(int from, int to) {
    IntStream.range(from, to).forEach(i -> client.resource(watched(i)).createOr(io.fabric8.kubernetes.client.dsl.NonDeletingOperation::update));
    return true;
  }

  private void elections() throws Exception {
    List<String> leaders = new CopyOnWriteArrayList<>();
    CompletableFuture<?> first = candidate("first", leaders);
    check("first candidate leads", () -> eventually(() -> leaders.equals(List.of("first"))));
    CompletableFuture<?> second = candidate("second", leaders);
    Report.restartServer();
    Thread.sleep(8000);
    check("the leader stays over a restart", () -> leaders.equals(List.of("first")));
    first.cancel(true);
    check("release hands over", () -> eventually(() -> leaders.equals(List.of("first", "second"))));
    second.cancel(true);
  }

  private CompletableFuture<?> candidate(String name, List<String> leaders) {
    var config = new LeaderElectionConfigBuilder().withReleaseOnCancel().withName("trial").withLeaseDuration(Duration.ofSeconds(15)).withRenewDeadline(Duration.ofSeconds(10)).withRetryPeriod(Duration.ofSeconds(1))
        .withLock(new LeaseLock(NAMESPACE, "election", name)).withLeaderCallbacks(new LeaderCallbacks(() -> leaders.add(name), () -> {}, who -> {})).build();
    return client.leaderElector().withConfig(config).build().start();
  }

  private io.fabric8.kubernetes.client.dsl.NonNamespaceOperation<ConfigMap, io.fabric8.kubernetes.api.model.ConfigMapList, io.fabric8.kubernetes.client.dsl.Resource<ConfigMap>> maps() {
    return client.configMaps().inNamespace(NAMESPACE);
  }

  private ConfigMap map(String name, String value) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(NAMESPACE).endMetadata().addToData("v", value).build();
  }

  private ConfigMap labelled(String name) {
    return new ConfigMapBuilder(map(name, "1")).editMetadata().addToLabels("page", "yes").endMetadata().build();
  }

  private ConfigMap watched(int index) {
    return new ConfigMapBuilder(map("watched-" + index, "1")).editMetadata().addToLabels("watched", "yes").endMetadata().build();
  }

  private static int code(Runnable action) {
    try {
      action.run();
      return 200;
    } catch (KubernetesClientException error) {
      return error.getCode();
    }
  }
}
