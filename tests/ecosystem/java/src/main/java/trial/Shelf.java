package trial;

import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A custom resource whose CRD is generated from these classes. */
@Group("trial.fabric8")
@Version("v1")
@Plural("shelves")
@ShortNames("shf")
public class Shelf extends CustomResource<Shelf.Spec, Shelf.Status> implements Namespaced {
  public static class Spec {
    @Required
    @Max(1000)
    private int books;

    public int getBooks() {
      return books;
    }

    public void setBooks(int books) {
      this.books = books;
    }
  }

  public static class Status {
    private int counted;

    public int getCounted() {
      return counted;
    }

    public void setCounted(int counted) {
      this.counted = counted;
    }
  }
}
